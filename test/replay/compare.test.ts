import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Comparison } from '../../src/replay/compare.js';

const text = Buffer.from('{"ok":true}');
const cut = Buffer.alloc(64 * 1024, 'a');

/** Text of which the character at 64 KB is cut after so many bytes. */
const emoji = (rest: number) => Buffer.from(`${'a'.repeat(65_536 - rest)}${'😀'.repeat(9)}`);
const otherCut = [emoji(1).subarray(0, 65_533), emoji(1)] as const;

const verdictOfBody = (recorded: Buffer, received: Buffer, isWhole = true) =>
  new Comparison({ status: 200, body: recorded }, 'body').verdictOfBody({
    ...{ headers: {}, isWhole },
    body: received.toString('latin1'),
  });

describe('a response', () => {
  it.each([
    [200, 200, 'delivered', 'recorded 200, now 200'],
    [500, 500, 'delivered', 'recorded 500, now 500'],
    [200, 404, 'failed', 'recorded 200, now 404'],
    [404, 200, 'failed', 'recorded 404, now 200'],
    [200, 503, 'retry', 'recorded 200, now 503'],
  ])('recorded with %i, now %i: %s', (recorded, status, verdict, difference) => {
    const comparison = new Comparison({ status: recorded, body: undefined }, 'status');
    expect(comparison.verdictOf(status)).toBe(verdict);
    expect(comparison.difference({ status })).toBe(difference);
    expect(comparison.difference({ status: null })).toBeUndefined();
  });

  it('needs no body if that is not compared, or was not recorded', () => {
    expect(new Comparison({ status: 200, body: text }, 'status').keptBytes).toBeUndefined();
    expect(new Comparison({ status: 200, body: undefined }, 'body').keptBytes).toBeUndefined();
  });
});

describe('the body of a response', () => {
  it.each([
    ['equal', text, text, true, 'delivered'],
    ['other', text, Buffer.from('{"ok":false}'), true, 'failed'],
    ['longer', text, Buffer.concat([text, text]), true, 'failed'],
    ['cut off', text, text, false, 'failed'],
    ['compressed by gzip', text, gzipSync(text), true, 'delivered'],
    ['compressed by deflate', text, deflateSync(text), true, 'delivered'],
    ['compressed by brotli', text, brotliCompressSync(text), true, 'delivered'],
    [
      'as long as can be recorded, and goes on',
      cut,
      Buffer.concat([cut, text]),
      false,
      'delivered',
    ],
    ['as long as can be recorded, and shorter', cut, cut.subarray(1), true, 'failed'],
    ...[1, 2, 3].map((rest): [string, Buffer, Buffer, boolean, string] => [
      `recorded without a character that was cut after ${rest} bytes, and goes on`,
      ...([emoji(rest).subarray(0, 65_536 - rest), emoji(rest), false, 'delivered'] as const),
    ]),
    ['cut at a whole character, and has another one there', ...otherCut, false, 'failed'],
    ['as long as a cut one, and equal', cut.subarray(2), cut.subarray(2), true, 'delivered'],
    ['as long as a cut one, and goes on', cut.subarray(2), cut, true, 'failed'],
  ])('is %s', (_title, recorded, received, isWhole, verdict) => {
    expect(verdictOfBody(recorded, received, isWhole)).toBe(verdict);
  });
});
