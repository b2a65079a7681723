import { describe, expect, it } from 'vitest';
import { parseVerifyRule } from '../../../src/receive/rules/verify-rule.js';

describe('a rule of --verify', () => {
  it.each([
    [
      'path=/stripe,scheme=stripe,secret-file=stripe.txt',
      { path: '/stripe', scheme: 'stripe', secrets: [{ file: 'stripe.txt' }] },
    ],
    [
      ' path = /a/* , secret=s 1 ',
      { path: '/a/*', scheme: undefined, secrets: [{ text: 's 1 ' }] },
    ],
    [
      String.raw`path=/a\,b,secret-file=new.txt,secret-file=old.txt,scheme=auto`,
      { path: '/a,b', scheme: 'auto', secrets: [{ file: 'new.txt' }, { file: 'old.txt' }] },
    ],
    [
      String.raw`path=/a,secret=one\,two=three`,
      { path: '/a', scheme: undefined, secrets: [{ text: 'one,two=three' }] },
    ],
  ])('%s', (text, rule) => {
    expect(parseVerifyRule(text)).toEqual(rule);
  });

  it.each([
    ['', 'a part is empty; write it like path=/stripe,scheme=stripe'],
    ['scheme=stripe,secret=x', 'it has no path; add one, like path=/stripe'],
    ['path=/a,scheme=stripe', 'path=/a: it has no secret; add secret-file=<path>'],
    ['path=a,secret=x', 'path must begin with /'],
    ['path=/a,secret=', 'secret needs a value, like secret=<secret>'],
    ['path=/a,secret-file', 'secret-file needs a value, like secret-file=stripe.txt'],
    ['path=/a,path=/b,secret=x', 'path is duplicated; keep one'],
    ['path=/a,scheme=a,scheme=b,secret=x', 'scheme is duplicated; keep one'],
    ['path=/a,sercet=x', '"sercet" is not a part of a rule; did you mean secret?'],
    ['path=/a,secret=x,Pa55w0rd', 'part 3 is not a part of a rule'],
    ['path=/a,secret=x,Pa55w0rd=', 'part 3 is not a part of a rule'],
  ])('%j is refused: %s', (text, reason) => {
    expect(() => parseVerifyRule(text)).toThrow(`--verify: ${reason}`);
  });

  it('that is wrong is not shown, since it may hold a secret', () => {
    for (const text of ['path=/a,secret=hush,hush', 'secret=hush', 'path=/a?hush,secret=hush']) {
      expect(() => parseVerifyRule(text)).toThrow(/^(?!.*hush,)(?!.*=hush)(?!.*\?hush)--verify: /);
    }
  });
});
