import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { inflated, InflateError } from '../../src/web/inflate.js';

function problemOf(body: Buffer, encoding: string): string | undefined {
  try {
    inflated(body, 1_000, encoding);
    return undefined;
  } catch (error) {
    return (error as InflateError).problem;
  }
}

const zeros = Buffer.alloc(1_000_000);

// Whoever reads on finds the damage at the end.
it.each([
  ['gzip', gzipSync(zeros)],
  ['deflate', deflateSync(zeros)],
  ['deflate', deflateRawSync(zeros)],
])('a bomb in %s is inflated only up to the limit', (encoding, bomb) => {
  expect(problemOf(bomb.subarray(0, -8), encoding)).toBe('too_large');
});

it('a short body with the same damage is damaged', () => {
  expect(problemOf(gzipSync(Buffer.alloc(900)).subarray(0, -8), 'gzip')).toBe('damaged');
});
