import { expect, it } from 'vitest';
import { explanationOf } from '../../src/listen/explanation.js';
import { sign } from '../../src/sign/x-signature.js';
import { received, verifying } from './listening.js';

const body = Buffer.from('{"a":1}');

it.each([
  ['valid', [sign(body, 'shh')], null],
  ['missing', [], 'the request has no X-Signature header; make the sender sign it'],
  ['invalid', ['a', 'b'], 'the request has more than one X-Signature header; send one'],
  ['invalid', [sign(body, "'shh'")], 'the signature fits when the secret'],
  ['invalid', [sign(body, 'other')], 'none of the common mistakes fits'],
  ['invalid', [sign(body, 'shh').toUpperCase()], 'in lowercase'],
] as const)('of a signature that is %s (%j) is: %s', (signature, values, text) => {
  const headers = values.flatMap((value) => ['X-Signature', value]);
  const explanation = explanationOf(
    received({ body, headers, signature, scheme: 'x-signature' }),
    verifying('shh'),
  );
  if (text === null) expect(explanation).toBeNull();
  else expect(explanation).toContain(text);
  expect(explanation ?? '').not.toContain(sign(body, 'shh'));
});

it('is none without a secret', () => {
  expect(explanationOf(received({ signature: 'unchecked' }), verifying(undefined))).toBeNull();
});

it('reports that a body was too large to be checked', () => {
  const request = received({ signature: 'unchecked', isTooLarge: true });
  expect(explanationOf(request, verifying('shh'))).toMatch(/neither kept nor checked/);
});
