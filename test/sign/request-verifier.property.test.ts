import fc from 'fast-check';
import { expect, it } from 'vitest';
import { requestVerifier } from '../../src/sign/request-verifier.js';
import { presets } from '../../src/sign/schemes/index.js';
import type { Scheme } from '../../src/sign/schemes/scheme.js';
import { headerNamesOf } from '../../src/sign/schemes/index.js';
import { hasAsymmetric } from '../../src/sign/asymmetric-key.js';
import { runs } from '../helpers/property-runs.js';
import { nowMs, request, secret, signedBy, verdictOf } from './schemes/signing.js';

const all = [...presets.values()];
const anyScheme = fc.constantFrom(...all);

const fragment = fc.constantFrom(
  ...['t=', 'v1=', 'v1,', 'v1a,', 'sha256=', ',', ' ', ', ', '=', '0', 'Infinity', '1788264000'],
  'a'.repeat(64),
  'A'.repeat(43),
);
const value = fc.oneof(
  fc.string(),
  fc.array(fragment, { maxLength: 8 }).map((parts) => parts.join('')),
);
const name = fc.oneof(fc.constantFrom(...all.flatMap(headerNamesOf)), fc.string());
const headers = fc.array(fc.tuple(name, value), { maxLength: 8 }).map((pairs) => pairs.flat());

const ed25519Key = 'whsk_' + 'A'.repeat(43);

function takesKeys(scheme: Scheme | 'auto'): boolean {
  return scheme === 'auto' || hasAsymmetric(scheme);
}

it('whatever is received is judged, never thrown', () => {
  const received = fc.record({
    headers,
    body: fc.uint8Array({ maxLength: 50 }),
    url: fc.option(fc.oneof(fc.webUrl(), fc.string()), { nil: undefined }),
    method: fc.option(fc.string(), { nil: undefined }),
  });
  const verifiers = [...all, 'auto' as const].map((scheme) =>
    requestVerifier({ scheme, secrets: [secret, ...(takesKeys(scheme) ? [ed25519Key] : [])] }),
  );
  fc.assert(
    fc.property(received, fc.constantFrom(...verifiers), (one, verifier) => {
      const verdict = verifier.verify(one, nowMs);
      expect(verdict.valid).toBe(false);
      expect(verdict.hint).not.toContain(secret);
    }),
    { numRuns: runs(20_000, 2000) },
  );
});

/** The bytes with one bit flipped. */
function flipped(bytes: Uint8Array, at: number): Buffer {
  const copy = Buffer.from(bytes);
  const index = Math.floor(at / 8) % copy.length;
  copy[index] = copy[index]! ^ (1 << (at % 8));
  return copy;
}

it('one bit of the body makes a signature invalid', () => {
  const body = fc.uint8Array({ minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(anyScheme, body, fc.nat(), (scheme, bytes, at) => {
      const { headers, url } = signedBy(scheme, [secret], { body: bytes });
      expect(verdictOf(headers, { scheme, url, body: bytes }).valid).toBe(true);
      expect(verdictOf(headers, { scheme, url, body: flipped(bytes, at) }).valid).toBe(false);
    }),
    { numRuns: runs(5000) },
  );
});

it('one bit of a header of the scheme makes a request invalid, but for the case of hex', () => {
  fc.assert(
    fc.property(anyScheme, fc.nat(), fc.nat(), (scheme, which, at) => {
      const { headers, url } = signedBy(scheme);
      const index = 1 + 2 * (which % (headers.length / 2));
      const changed = flipped(Buffer.from(headers[index]!, 'latin1'), at).toString('latin1');
      fc.pre(!isSameHex(scheme, headers[index]!, changed));
      const options = { scheme, url, toleranceMs: null };
      expect(verdictOf(headers.with(index, changed), options).valid).toBe(false);
    }),
    { numRuns: runs(20_000, 3000) },
  );
});

/** Letters of hex have two cases; `x-signature` accepts one. */
function isSameHex({ name: scheme, versions }: Scheme, before: string, after: string): boolean {
  if (scheme === 'x-signature' || versions[0]!.encoding !== 'hex') return false;
  const end = (text: string) => text.slice(text.lastIndexOf('=') + 1).toLowerCase();
  const start = (text: string) => text.slice(0, text.lastIndexOf('=') + 1);
  return end(before) === end(after) && start(before) === start(after);
}

it('a signature fits no other body, id or time', () => {
  const timed = all.filter(({ timestamp }) => timestamp);
  const text = fc.stringMatching(/^[a-z0-9]{1,8}$/);
  fc.assert(
    fc.property(fc.constantFrom(...timed), text, text, (scheme, one, other) => {
      fc.pre(one !== other);
      const { headers } = signedBy(scheme, [secret], { id: one, body: Buffer.from(other) });
      const swapped = signedBy(scheme, [secret], { id: other, body: Buffer.from(one) }).headers;
      const mixed = headers.with(1, swapped[1]!);
      expect(verdictOf(mixed, { scheme, body: Buffer.from(other) }).valid).toBe(false);
      const later = signedBy(scheme, [secret], { id: one, nowMs: request.nowMs + 1000 }).headers;
      expect(verdictOf(later, { scheme, body: Buffer.from(other) }).valid).toBe(false);
    }),
    { numRuns: runs(2000) },
  );
});
