import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.js';
import { sign, verify } from '../../src/sign/x-signature.js';
import { hasTool } from '../helpers/tools.js';
import { execFileSync } from '../helpers/run-sync.js';

interface Vector {
  name: string;
  secret?: string;
  secretBase64?: string;
  body?: string;
  bodyBase64?: string;
  signature: string;
}

const vectors = JSON.parse(
  readFileSync(new URL('../../fixtures/signatures.json', import.meta.url), 'utf8'),
) as Vector[];

function bytesOf(text: string | undefined, base64: string | undefined): Buffer {
  return base64 === undefined ? Buffer.from(text!) : Buffer.from(base64, 'base64');
}

describe('published vectors', () => {
  it.each(vectors)('$name', ({ secret, secretBase64, body, bodyBase64, signature }) => {
    const bodyBytes = bytesOf(body, bodyBase64);
    const key = bytesOf(secret, secretBase64);
    expect(sign(bodyBytes, key)).toBe(signature);
    expect(sign(body ?? bodyBytes, secret ?? key)).toBe(signature);
    expect(verify(bodyBytes, signature, key)).toBe(true);
  });
});

describe('an empty secret, with which anybody could sign,', () => {
  const empty = [['a text', ''] as const, ['bytes', new Uint8Array()] as const];

  it.each(empty)('as %s is refused by sign', (_form, secret) => {
    expect(() => sign('a', secret)).toThrow(UsageError);
  });

  it.each(empty)('as %s is refused by verify, whatever the signature', (_form, secret) => {
    const forged = createHmac('sha1', '').update('a').digest('hex');
    for (const signature of [forged, '', undefined]) {
      expect(() => verify('a', signature, secret)).toThrow(/secret is empty/);
    }
  });
});

describe('what is neither a text nor bytes', () => {
  const parsed = { type: 'track' } as unknown as string;
  const unset = undefined as unknown as string;

  it.each([
    ['a parsed body', parsed, 's', /the body is neither/],
    ['no body', unset, 's', /the body is neither/],
    ['a secret that is not set', 'a', unset, /the secret is neither/],
    ['a number as the secret', 'a', 4711 as unknown as string, /the secret is neither/],
  ])('is refused by sign and verify, without showing it: %s', (_title, body, secret, message) => {
    for (const call of [() => sign(body, secret), () => verify(body, 'ab'.repeat(20), secret)]) {
      expect(call).toThrow(UsageError);
      expect(call).toThrow(message);
      expect(call).not.toThrow(/4711/);
      expect(call).toThrow(expect.objectContaining({ code: 'not_bytes' }));
    }
  });
});

it.skipIf(!hasTool('openssl'))('agrees with openssl on random bodies', () => {
  for (const size of [0, 1, 63, 64, 65, 1000, 100_000]) {
    const body = randomBytes(size);
    const secret = `${randomBytes(12).toString('hex')} ü`;
    const printed = execFileSync('openssl', ['dgst', '-sha1', '-hmac', secret], { input: body });
    expect(sign(body, secret)).toBe(/([0-9a-f]{40})\s*$/.exec(printed.toString())?.[1]);
  }
});

describe('sign and verify', () => {
  const bytes = fc.uint8Array({ maxLength: 300 });

  it('verify what was signed, and agree with node:crypto', () => {
    fc.assert(
      fc.property(bytes, fc.string({ unit: 'binary', minLength: 1 }), (body, secret) => {
        const signature = sign(body, secret);
        expect(signature).toBe(createHmac('sha1', secret).update(body).digest('hex'));
        expect(verify(body, signature, secret)).toBe(true);
      }),
    );
  });

  it('reject any other body and any other secret', () => {
    fc.assert(
      fc.property(bytes, bytes, (body, other) => {
        fc.pre(!Buffer.from(body).equals(Buffer.from(other)));
        expect(verify(other, sign(body, 's'), 's')).toBe(false);
        expect(verify(body, sign(body, 's1'), 's2')).toBe(false);
      }),
    );
  });

  it('never throw for any text as a signature', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (signature) => {
        expect(verify('body', signature, 'secret')).toBe(false);
      }),
    );
  });

  const good = sign('body', 'secret');
  it.each([
    ['uppercase', good.toUpperCase()],
    ['a prefix', `sha1=${good}`],
    ['a space after it', `${good} `],
    ['a newline after it', `${good}\n`],
    ['a character less', good.slice(1)],
    ['a character more', `${good}0`],
    ['other characters of the same length', 'g'.repeat(40)],
    ['full-width digits', '１'.repeat(40)],
    ['nothing', ''],
    ['no header', undefined],
    ['a repeated header', [good]],
  ])('reject %s', (_, signature) => {
    expect(verify('body', signature, 'secret')).toBe(false);
  });
});
