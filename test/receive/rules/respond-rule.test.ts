import { describe, expect, it } from 'vitest';
import { parseRespondRule } from '../../../src/receive/rules/respond-rule.js';

const noFile = (): never => {
  throw new Error('no file is named');
};

/** What a rule with this body makes of a request. */
function filled(
  body: string,
  request: { path?: string; headers?: readonly string[]; body?: string | Buffer } = {},
): string {
  const rule = parseRespondRule(`body=${body}`, noFile);
  if (Buffer.isBuffer(rule.body)) throw new Error('it is a file');
  const given = { path: '/', headers: [], ...request, body: Buffer.from(request.body ?? '') };
  return rule.body(given).toString();
}

describe('a rule of --respond', () => {
  it('is for every path, with status 200 and text/plain, unless it says otherwise', () => {
    const rule = parseRespondRule('body=ok', noFile);
    expect([rule.status, rule.type, rule.isFor('/any')]).toEqual([200, 'text/plain', true]);
  });

  it('says for which path it is, and with which status and type it answers', () => {
    const text = 'path=/a/*, status=422 ,type=application/json; charset=utf-8,body={"a":1}';
    const rule = parseRespondRule(text, noFile);
    expect([rule.status, rule.type]).toEqual([422, 'application/json; charset=utf-8']);
    expect([rule.isFor('/a/b?c'), rule.isFor('/b')]).toEqual([true, false]);
  });

  it('sends a file as it is', () => {
    const bytes = Buffer.from([0xff, 0, 0x7b]);
    const read = (path: string): Buffer => (path === 'a,b.bin' ? bytes : Buffer.alloc(0));
    expect(parseRespondRule(String.raw`body=@a\,b.bin`, read).body).toBe(bytes);
  });

  it.each([
    ['', 'a part is empty; write it like status=200,body=ok'],
    ['status=99', 'status must be a number from 200 to 599'],
    ['status=100', 'status must be a number from 200 to 599'],
    ['status=600', 'status must be a number from 200 to 599'],
    ['status={body.status}', 'status must be a number from 200 to 599'],
    ['type=json', 'type must be a media type, like type=application/json'],
    ['type=text/plain\r\nX-A: 1', 'type must be a media type, like type=application/json'],
    ['type={header.accept}', 'type must be a media type, like type=application/json'],
    ['path=a', 'path must begin with /'],
    ['body', 'body needs a value, like body=ok'],
    ['status=200,status=201', 'status is duplicated; keep one'],
    ['status=204,body=x', 'a response with status 204 has no body'],
    ['boby=x', '"boby" is not a part of a response; did you mean body?'],
    ['body=x,Pa55w0rd', 'part 2 is not a part of a response'],
    ['body={"a":1,"b":2}', String.raw`a comma in a body is written \,`],
  ])('%j is refused: %s', (text, reason) => {
    expect(() => parseRespondRule(text, noFile)).toThrow(reason);
    expect(() => parseRespondRule(text, noFile)).toThrow(/^--respond: [^\r\n]+$/);
  });
});

describe('a body', () => {
  it.each([
    ['{body.challenge}', { body: '{"challenge":"abc"}' }, 'abc'],
    ['{body.a.b}-{body.a.b}', { body: '{"a":{"b":"x"}}' }, 'x-x'],
    ['{body.n}', { body: '{"n":12345678901234567890.10}' }, '12345678901234567890.10'],
    ['{body.o}', { body: '{"o": {"b": [1, "2"]} }' }, '{"b": [1, "2"]}'],
    ['{body.l.1}', { body: '{"l":[1,"two"]}' }, 'two'],
    ['{body.0.a}', { body: ' [{"a":true}]' }, 'true'],
    ['{body.x}', { body: '{"x":null}' }, 'null'],
    ['{body.é x}', { body: '{"\\u00e9 x":"\\u0041\\n"}' }, 'A\n'],
    ['{body.a}', { body: '{"a":1,"a":2}' }, '2'],
    ['{query.hub.challenge}', { path: '/a?hub.challenge=1%202&x=3' }, '1 2'],
    ['{header.x-two}', { headers: ['X-Two', '1', 'x-two', '2'] }, '1, 2'],
    [String.raw`{"a":"{body.a}"\,"b":{}}`, { body: '{"a":"x"}' }, '{"a":"x","b":{}}'],
    [' a ', {}, ' a '],
    [String.raw`a\b`, {}, String.raw`a\b`],
  ])('%s is filled in', (body, request, text) => {
    expect(filled(body, request)).toBe(text);
  });

  it.each([
    ['{body.a}', {}],
    ['{body.a}', { body: 'a=b' }],
    ['{body.a.b}', { body: '{"a":"text"}' }],
    ['{body.a.length}', { body: '{"a":[1,2]}' }],
    ['{body.constructor}{body.__proto__}{body.toString}', { body: '{}' }],
    ['{body.a.constructor.name}', { body: '{"a":{}}' }],
    ['{body.a}', { body: '{"a":1} x' }],
    ['{body.a}', { body: Buffer.from('1f8b0000', 'hex') }],
    ['{query.a}', { path: '/' }],
    ['{query.constructor}', { path: '/?a=1' }],
    ['{header.__proto__}{header.a}', { headers: ['B', '1'] }],
  ])('%s is empty where that is absent', (body, request) => {
    expect(filled(body, request)).toBe('');
  });

  it('is filled in once: what was filled in is not searched again', () => {
    const request = { path: '/?a={body.b}', body: '{"a":"{query.a}","b":"secret"}' };
    expect(filled('{body.a} {query.a}', request)).toBe('{query.a} {body.b}');
    expect(filled('{body.a}', { body: '{"a":"$& $1 $`"}' })).toBe('$& $1 $`');
  });

  it.each(['{}', '{body}', '{body.}', '{bod.a}', '{ body.a }', '{{body}}'])(
    '%s has nothing to fill in',
    (body) => {
      expect(filled(body, { body: '{"a":1}' })).toBe(body);
    },
  );
});
