import { createHmac, createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { preparedHmac, type Pieces } from '../../src/sign/hmac.js';

function prepared(digest: 'sha1' | 'sha256' | 'sha512', key: string | Uint8Array) {
  return preparedHmac(digest, createSecretKey(Buffer.from(key as Uint8Array)));
}

function expected(digest: string, key: string | Uint8Array, pieces: Pieces) {
  const hmac = createHmac(digest, key);
  for (const piece of pieces) hmac.update(piece);
  return hmac.digest();
}

describe.each(['sha1', 'sha256', 'sha512'] as const)('an HMAC of %s', (digest) => {
  const secret = fc.oneof(
    fc.string({ minLength: 1, unit: 'grapheme' }),
    fc.uint8Array({ minLength: 1, maxLength: 200 }),
  );
  const piece = fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array({ maxLength: 300 }));
  const texts = fc.array(fc.array(piece, { maxLength: 5 }), { minLength: 1, maxLength: 5 });

  it('is that of node:crypto for one text after the other, in pieces of text and bytes', () => {
    fc.assert(
      fc.property(secret, texts, (key, all) => {
        const hmac = prepared(digest, key);
        for (const pieces of all) {
          const bytes = expected(digest, key, pieces);
          expect(hmac(pieces, 'hex')).toBe(bytes.toString('hex'));
          expect(hmac(pieces, 'base64')).toBe(bytes.toString('base64'));
        }
      }),
    );
  });

  it.each([1, 63, 64, 65, 127, 128, 129, 256])(
    'uses a secret of %i bytes in the same way',
    (length) => {
      const key = 'k'.repeat(length);
      expect(prepared(digest, key)(['{}'], 'hex')).toBe(
        expected(digest, key, ['{}']).toString('hex'),
      );
    },
  );

  it.each([0, 55, 56, 64, 21_845, 65_535, 65_536, 65_537, 70_000, 200_000])(
    'takes %i bytes or characters whole, and leaves nothing to the next text',
    (length) => {
      const hmac = prepared(digest, 'secret');
      for (const pieces of [[Buffer.alloc(length, 'x')], ['a', 'ü'.repeat(length), 'b']]) {
        expect(hmac(pieces, 'hex')).toBe(expected(digest, 'secret', pieces).toString('hex'));
        expect(hmac(['{}'], 'hex')).toBe(expected(digest, 'secret', ['{}']).toString('hex'));
      }
    },
  );
});

it('agrees with the published vectors of RFC 2202', () => {
  expect(prepared('sha1', 'Jefe')(['what do ya want for nothing?'], 'hex')).toBe(
    'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79',
  );
  expect(prepared('sha1', Buffer.alloc(20, 0x0b))(['Hi There'], 'hex')).toBe(
    'b617318655057264e28bc0b6fb378c8ef146be00',
  );
});
