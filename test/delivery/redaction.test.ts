import { describe, expect, it } from 'vitest';
import { headerSecrets, querySecrets, redactionOf } from '../../src/delivery/redaction.js';

const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

describe('a secret in what an endpoint sends back', () => {
  const secret = `pass/"wörd'&`;

  it.each<[string, string]>([
    ['as it is', latin1(secret)],
    ['as the Latin-1 that HTTP carries', secret],
    ['in JSON', latin1(JSON.stringify(secret).slice(1, -1))],
    ['in JSON with escaped slashes', latin1(`pass\\/\\"wörd'&`)],
    ['in JSON of ASCII', `pass/\\"w\\u00f6rd'&`],
    ['in a URL', encodeURIComponent(secret)],
    ['in HTML', latin1('pass/&quot;wörd&#39;&amp;')],
  ])('is hidden %s, wherever it occurs', (_form, repeated) => {
    const { all } = redactionOf([secret]);
    expect(all(`<${repeated}> and x${repeated}y`)).toBe('<***> and x***y');
  });

  it('is hidden when it is bytes, which need not be text', () => {
    const bytes = Buffer.from([0xff, 0x41, 0x42, 0x43, 0xfe]);
    expect(redactionOf([bytes]).all(`a${bytes.toString('latin1')}b`)).toBe('a***b');
  });

  it('is hidden whole, when another one is its beginning', () => {
    const { all } = redactionOf(['token', 'token-of-two']);
    expect(all('token-of-two, token')).toBe('***, ***');
  });

  it('of fewer than four characters is hidden only where it stands alone', () => {
    const { all } = redactionOf(['v1']);
    expect(all('{"v":"v1"} v1.2 v10 prev1 v1')).toBe('{"v":"***"} ***.2 v10 prev1 ***');
  });

  it('is not taken for a pattern', () => {
    const { all } = redactionOf(['a.*b(c)[d]$^|\\']);
    expect(all('a.*b(c)[d]$^|\\ axxb')).toBe('*** axxb');
  });

  it('that the end of an excerpt cuts off is hidden, too', () => {
    const { all, beginning } = redactionOf(['topsecret']);
    expect(beginning('it is topsec')).toBe('it is ***');
    expect(all('it is topsec')).toBe('it is topsec');
    expect(beginning('it is topsecret')).toBe('it is ***');
    expect(beginning('go to')).toBe('go to');
  });

  it('changes nothing when there is none', () => {
    const { all, beginning } = redactionOf(['']);
    expect([all('x'), beginning('y')]).toEqual(['x', 'y']);
  });
});

describe('the secrets of a request', () => {
  it.each<[string, string[]]>([
    ['http://a.example/', ['']],
    ['http://a.example/?token=abc', ['abc']],
    ['http://a.example/?only-a-key&b=2', ['only-a-key', '2']],
    ['http://a.example/?a=x%2Fy+z', ['x%2Fy+z', 'x/y+z', 'x/y z']],
    ['http://a.example/?a=%zz', ['%zz']],
  ])('in the query of %s are its values, as sent and decoded', (url, values) => {
    expect([...new Set(querySecrets(new URL(url)))]).toEqual(values);
  });

  it('in a header are its value, the token in it, and a name with its password', () => {
    expect(headerSecrets('growth')).toEqual(['growth']);
    expect(headerSecrets('Bearer abcd==')).toEqual(['Bearer abcd==', 'abcd==']);
    expect(headerSecrets('Bearer abc.def')).toEqual(['Bearer abc.def', 'abc.def']);
    const basic = Buffer.from('user:pass:word').toString('base64');
    expect(headerSecrets(`Basic ${basic}`)).toEqual([
      `Basic ${basic}`,
      basic,
      'user:pass:word',
      'pass:word',
    ]);
  });

  it.each<[string, string[]]>([
    ['session=abcd1234; theme=x', ['abcd1234']],
    ['session=abcd==; id="with space, comma"', ['abcd==', 'with space, comma']],
    ['Digest username="alice",response=0f0f', ['alice', '0f0f']],
    ['key=abcd1234', ['abcd1234']],
    ['one, two and three', []],
  ])('in a header with the list %s are its values, too', (value, values) => {
    expect(headerSecrets(value)).toEqual([value, ...values]);
  });
});
