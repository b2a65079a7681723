import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Effort } from '../../../src/sign/explain/explain.js';
import { explainVerdict } from '../../../src/sign/explain/explain-verdict.js';
import { sign } from '../../../src/sign/x-signature.js';

const json = '{"b":"Zoë/<x>","a":[1,2.50,{}],"n":9007199254740993}';
const secret = 'topsecret';

/** Of the value of `X-Signature`, as if nothing were known of its form. */
function explain(
  body: string | Uint8Array,
  signature: string,
  key: string | Buffer,
  effort: Effort = {},
) {
  const request = { headers: ['X-Signature', signature], body: Buffer.from(body as Uint8Array) };
  const verdict = { valid: false, scheme: 'x-signature', reason: 'mismatch' } as const;
  return explainVerdict(request, verdict, { secrets: [key], nowMs: 0, ...effort });
}

function hmac(algorithm: string, body: string | Buffer, key: string | Buffer = secret): Buffer {
  return createHmac(algorithm, key).update(body).digest();
}

function expectFit(
  body: string | Buffer,
  signature: string,
  says: RegExp,
  key: string | Buffer = secret,
) {
  const { fits, message } = explain(body, signature, key);
  expect(message).toMatch(says);
  expect(message).toMatch(/^the signature fits when .*: /);
  expect(fits).toBe(true);
}

describe('mistakes of the body', () => {
  it.each([
    ['an extra newline in the file', `${json}\n`, json, /is missing its trailing newline/],
    ['an extra CRLF', `${json}\r\n`, json, /is missing its trailing newline/],
    ['a newline missing', json, `${json}\n`, /extra trailing newline \(LF\)/],
    ['CRLF missing', json, `${json}\r\n`, /extra trailing newline \(CRLF\)/],
    ['space around it', `  ${json}\n\n`, json, /space and newlines around/],
    ['LF where CRLF was signed', 'a\nb\n', 'a\r\nb\r\n', /CRLF instead of LF/],
    ['CRLF where LF was signed', 'a\r\nb\r\n', 'a\nb\n', /LF instead of CRLF/],
    ['newlines and the last one', 'a\r\nb\r\n', 'a\nb', /LF instead of CRLF.*missing its trailing/],
    ['an extra byte order mark', '\ufeffabc', 'abc', /is missing its byte order mark/],
    ['a byte order mark missing', 'abc', '\ufeffabc', /has a byte order mark/],
    ['nothing signed', 'abc', '', /is empty/],
    ['double encoding', 'Zoë', Buffer.from('Zoë').toString('latin1'), /encoded twice/],
  ])('%s', (_, given, signed, says) => {
    expectFit(given, sign(signed, secret), says);
  });

  it('bytes that are not UTF-8, signed as decoded text', () => {
    const body = Buffer.from([0x61, 0xff, 0x62]);
    expectFit(body, sign(body.toString('utf8'), secret), /U\+FFFD/);
  });

  it('Latin-1', () => {
    expectFit('Zoë', sign(Buffer.from('Zoë', 'latin1'), secret), /Latin-1/);
  });
});

describe('JSON that was written again', () => {
  const pretty =
    '{\n  "b": "Zoë/<x>",\n  "a": [\n    1,\n    2.50,\n    {}\n  ],\n  "n": 9007199254740993\n}';
  const python = '{"b": "Zo\\u00eb/<x>", "a": [1, 2.50, {}], "n": 9007199254740993}';
  const php = '{"b":"Zo\\u00eb\\/<x>","a":[1,2.50,{}],"n":9007199254740993}';
  const sorted = '{"a":[1,2.50,{}],"b":"Zoë/<x>","n":9007199254740993}';

  it.each([
    ['minified', pretty, json, /minified/],
    ['by 2 spaces', json, pretty, /indented by 2 spaces/],
    ['by 2 spaces, with a newline', json, `${pretty}\n`, /2 spaces, with a trailing newline/],
    ['by 4 spaces', json, pretty.replaceAll('  ', '    '), /indented by 4 spaces/],
    ['by tabs', json, pretty.replaceAll('  ', '\t'), /indented by tabs/],
    ['by Python', json, python, /a space after , and : .*Python/],
    ['by PHP', json, php, /PHP/],
    ['by PHP, unescaped', php, json, /JavaScript/],
    ['by PHP with plain Unicode', json, json.replace('/', '\\/'), /slashes as \\\//],
    ['by Go', json, json.replace('<', '\\u003c').replace('>', '\\u003e'), /Go/],
    [
      'by .NET',
      json,
      json.replace('ë', '\\u00EB').replace('<', '\\u003C').replace('>', '\\u003E'),
      /NET/,
    ],
    ['escapes in an unusual layout', pretty, pretty.replace('ë', '\\u00eb'), /Python/],
    ['keys sorted', json, sorted, /keys sorted/],
    ['by JavaScript', `${json}\n`, JSON.stringify(JSON.parse(json)), /as JavaScript writes them/],
    ['after a byte order mark', `\ufeff${pretty}`, json, /minified/],
  ])('%s', (_, given, signed, says) => {
    expect(signed).not.toBe(given);
    expectFit(given, sign(signed, secret), says);
  });
});

describe('mistakes of the secret', () => {
  it.each([
    ['a newline in ours', 'topsecret\n', 'topsecret', /no space or newline around/],
    ['a space in ours', ' topsecret', 'topsecret', /no space or newline around/],
    ['quotes in ours', '"topsecret"', 'topsecret', /no quotes around/],
    ['single quotes and a newline in ours', "'topsecret'\n", 'topsecret', /no quotes around/],
    ['a newline in theirs', 'topsecret', 'topsecret\n', /followed by a newline \(LF\)/],
    ['CRLF in theirs', 'topsecret', 'topsecret\r\n', /followed by a newline \(CRLF\)/],
    ['a space in theirs', 'topsecret', 'topsecret ', /followed by a space/],
    ['quotes in theirs', 'topsecret', '"topsecret"', /double quotes/],
    ['single quotes in theirs', 'topsecret', "'topsecret'", /single quotes/],
    ['a byte order mark', '\ufefftopsecret', 'topsecret', /byte order mark before it/],
    ['a line of an environment file', 'SECRET=topsecret', 'topsecret', /after NAME=/],
    ['hex', '00ff10', Buffer.from('00ff10', 'hex'), /decoded from hex/],
    ['base64', 'c2VjcmV0IQ==', Buffer.from('secret!'), /decoded from base64/],
    ['a whsec_ prefix', 'whsec_c2VjcmV0IQ==', Buffer.from('secret!'), /whsec_/],
    ['hex on their side', 'key', '6b6579', /written in hex/],
    ['Latin-1', 'schlüssel', Buffer.from('schlüssel', 'latin1'), /Latin-1/],
    ['none on their side', 'topsecret', '', /the secret is empty/],
  ])('%s', (_, given, used, says) => {
    expectFit('body', hmac('sha1', 'body', used).toString('hex'), says, given);
  });
});

describe('another digest, algorithm or form', () => {
  const sha1 = hmac('sha1', 'body');
  it.each([
    ['uppercase', sha1.toString('hex').toUpperCase(), /written in lowercase/],
    ['a prefix', `sha1=${sha1.toString('hex')}`, /prefix/],
    ['space', ` ${sha1.toString('hex')}\n`, /space around it/],
    ['quotes', `"${sha1.toString('hex')}"`, /quotes around it/],
    ['the whole header', `X-Signature: ${sha1.toString('hex')}`, /name of the header/],
    ['what openssl prints', `SHA1(stdin)= ${sha1.toString('hex')}`, /openssl/],
    ['colons', sha1.toString('hex').replace(/..(?=.)/g, '$&:'), /separators/],
    ['base64', sha1.toString('base64'), /read as base64/],
    ['base64url', hmac('sha1', 'body2').toString('base64url'), /./, 'body2'],
    ['base64 of the hex', Buffer.from(sha1.toString('hex')).toString('base64'), /of the hex text/],
    ['SHA256', hmac('sha256', 'body').toString('hex'), /HMAC-SHA256 instead of HMAC-SHA1/],
    ['SHA256 with a prefix', `sha256=${hmac('sha256', 'body').toString('hex')}`, /SHA256/],
    ['SHA256 in base64', hmac('sha256', 'body').toString('base64'), /SHA256.*base64/],
    ['SHA512', hmac('sha512', 'body').toString('hex'), /SHA512/],
    ['SHA384 in base64', hmac('sha384', 'body').toString('base64'), /SHA384/],
    ['MD5', hmac('md5', 'body').toString('hex'), /MD5/],
    [
      'plain SHA256',
      createHash('sha256').update('body').digest('hex'),
      /without any secret, and its digest is SHA256/,
    ],
    ['plain SHA1', createHash('sha1').update('body').digest('hex'), /without any secret/],
    [
      'the secret first',
      createHash('sha1').update(`${secret}body`).digest('hex'),
      /secret followed/,
    ],
    [
      'the secret last',
      createHash('sha1').update(`body${secret}`).digest('hex'),
      /followed by the secret/,
    ],
    ['swapped', hmac('sha1', secret, 'body').toString('hex'), /body is used as the key/],
  ])('%s', (_, signature, says, body = 'body') => {
    expectFit(body, signature, says);
  });
});

describe('pairs of mistakes', () => {
  it.each([
    [
      'a newline and SHA256',
      `${json}\n`,
      hmac('sha256', json).toString('hex'),
      /trailing newline, and it is HMAC-SHA256/,
    ],
    [
      'Python and a secret with a newline',
      '{"a":1}',
      sign('{"a": 1}', 'topsecret\n'),
      /Python.*secret is followed by a newline/,
    ],
    [
      'all three',
      '{"a":1}',
      `sha256=${hmac('sha256', '{"a": 1}', '"topsecret"').toString('base64')}`,
      /Python.*quotes.*SHA256.*base64/,
    ],
  ])('%s', (_, body, signature, says) => {
    expectFit(body, signature, says);
  });

  it('are not tested without `pairs`', () => {
    const signature = sign('{"a": 1}', 'topsecret\n');
    expect(explain('{"a":1}', signature, secret, { pairs: false }).fits).toBe(false);
  });
});

describe('when nothing fits', () => {
  it('it reports that the secret differs or the body was changed', () => {
    const { fits, message } = explain(json, sign(json, 'another'), secret);
    expect(fits).toBe(false);
    expect(message).toMatch(/most likely the secret differs or the body was changed/);
  });

  it('it reports a signature that is not a digest', () => {
    expect(explain(json, 'hello', secret)).toMatchObject({ fits: false });
    expect(explain(json, 'a'.repeat(2000), secret).message).toMatch(/not a digest/);
  });

  it('it reports that the body was too large to test everything', () => {
    const { fits, message } = explain(Buffer.alloc(100_000), 'a'.repeat(40), secret, {
      maxBytes: 1e6,
    });
    expect(fits).toBe(false);
    expect(message).toMatch(/too large/);
  });

  it('deep nesting is no obstacle', () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    expect(explain(deep, 'a'.repeat(40), secret).fits).toBe(false);
  });

  it('any text can be explained, and neither secret nor expected signature is shown', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.uint8Array({ maxLength: 50 }), (text, body) => {
        const { message } = explain(body, text, secret);
        expect(message).not.toContain(secret);
        expect(message).not.toContain(sign(body, secret));
      }),
      { numRuns: 30 },
    );
  });
});

it('reports a valid signature as valid', () => {
  expect(explain(json, sign(json, secret), secret)).toEqual({
    fits: true,
    message: 'the signature is valid as it is',
  });
});
