import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { writeSlowly } from '../../src/output/write-slowly.js';

const full = 'x'.repeat(100_000);

/** What has resolved by now. */
async function settled(promise: Promise<void>): Promise<boolean> {
  return Promise.race([
    promise.then(() => true),
    new Promise<false>((r) => setImmediate(r, false)),
  ]);
}

describe('writing slowly', () => {
  it('goes on at once while there is room', async () => {
    expect(await settled(writeSlowly(new PassThrough(), 'x'))).toBe(true);
  });

  it('waits until what was written has been read', async () => {
    const stream = new PassThrough();
    const written = writeSlowly(stream, full);
    expect(await settled(written)).toBe(false);
    stream.resume();
    await written;
  });

  it.each([
    ['closed', undefined],
    ['broken', new Error('EPIPE')],
  ])('ends when the stream is %s, and does not wait again', async (_, reason) => {
    const stream = new PassThrough().on('error', () => undefined);
    const written = writeSlowly(stream, full);
    stream.destroy(reason);
    await written;
    await writeSlowly(stream, full);
    expect(stream.writable).toBe(false);
    expect(['drain', 'close'].map((name) => stream.listenerCount(name))).toEqual([0, 0]);
  });
});
