import fc from 'fast-check';
import { expect, it } from 'vitest';
import { signer } from '../../src/sign/signer.js';
import { sign } from '../../src/sign/x-signature.js';

const secret = fc.oneof(
  fc.string({ minLength: 1, unit: 'grapheme' }),
  fc.uint8Array({ minLength: 1, maxLength: 200 }),
);

it('a signer signs one body after the other as sign does', () => {
  const bodies = fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(secret, bodies, (key, all) => {
      const signWithKey = signer(key);
      for (const body of all) expect(signWithKey(body)).toBe(sign(body, key));
    }),
  );
});

it.each([1, 63, 64, 65, 128])('a secret of %i bytes is used as sign uses it', (length) => {
  const key = 'k'.repeat(length);
  expect(signer(key)(Buffer.from('{}'))).toBe(sign('{}', key));
});

it.each([0, 55, 56, 64, 65_535, 65_536, 65_537, 200_000])(
  'a body of %i bytes is signed whole, and leaves nothing to the next',
  (length) => {
    const signWithKey = signer('secret');
    expect(signWithKey(Buffer.alloc(length, 'x'))).toBe(sign('x'.repeat(length), 'secret'));
    expect(signWithKey(Buffer.from('{}'))).toBe(sign('{}', 'secret'));
  },
);

it('agrees with the published vectors of RFC 2202', () => {
  expect(signer('Jefe')(Buffer.from('what do ya want for nothing?'))).toBe(
    'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79',
  );
  expect(signer(Buffer.alloc(20, 0x0b))(Buffer.from('Hi There'))).toBe(
    'b617318655057264e28bc0b6fb378c8ef146be00',
  );
});
