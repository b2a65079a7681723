import { expect, it } from 'vitest';
import { explanationOf } from '../../src/listen/explanation.js';
import { requestSigner } from '../../src/sign/request-signer.js';
import { presets } from '../../src/sign/schemes/index.js';
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

it('names no flag of verify-sig', () => {
  const request = {
    ...received({ body, scheme: 'slack' }),
    receivedAt: Date.UTC(2026, 0, 1, 1, 2),
  };
  const scheme = presets.get('slack')!;
  const signer = requestSigner({ scheme, secrets: ['shh'] }, '');
  const nowMs = Date.UTC(2026, 0, 1);
  const { headers } = signer.sign({ body, id: '', nowMs, method: 'POST', url: '' });
  const signed = { ...request, headers: headers.flat() };
  expect(explanationOf(signed, verifying('shh', 'slack'))).toMatch(
    /it was signed 1 h 2 min before .* time zone/,
  );
  const late = { ...signed, receivedAt: nowMs + 1_800_000 };
  const explanation = explanationOf(late, verifying('shh', 'slack'));
  expect(explanation).toMatch(/it was signed 30 min before .*; the clock of the sender is behind/);
  expect(explanation).not.toContain('--');
});

it('is none without a secret', () => {
  expect(explanationOf(received({ signature: 'unchecked' }), verifying(undefined))).toBeNull();
});

it('reports that a body was too large to be checked', () => {
  const request = received({ signature: 'unchecked', isTooLarge: true });
  expect(explanationOf(request, verifying('shh'))).toMatch(/neither kept nor checked/);
});
