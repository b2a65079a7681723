import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Batch, batchBody, maxBatchBytes, type Message } from '../../src/collector/batch.js';
import { version } from '../../src/version.js';

const now = Date.parse('2026-11-20T08:30:00.000Z');

function message(text: string | Buffer): Message {
  return { messageId: 'm', text, bytes: Buffer.byteLength(text), settle: () => undefined };
}

describe('the body of a batch', () => {
  it('has the messages in order, the time and the library', () => {
    expect(batchBody([Buffer.from('{"a":1e400}'), '{"b":"é"}'], now).toString()).toBe(
      `{"batch":[{"a":1e400},{"b":"é"}],"sentAt":"2026-11-20T08:30:00.000Z",` +
        `"context":{"library":{"name":"evfwd","version":"${version}"}}}`,
    );
  });

  it('is the same when it was gathered, and lets go of the texts', () => {
    const batch = new Batch(20);
    const texts = ['{"a":1}', Buffer.from('{"ü":2}'), '{"c":"\u{1f600}"}'];
    for (const text of texts) batch.add(message(text));
    expect(batch.seal(now)).toEqual(batchBody(texts, now));
    expect(batch.messages.map(({ text }) => text)).toEqual(['', '', '']);
  });
});

describe('a batch', () => {
  it.each([
    [1, 1],
    [20, 20],
    [2_500, 2_500],
    [10_000, 2_500],
  ])('that may hold %i messages is full with %i', (maxMessages, expected) => {
    const batch = new Batch(maxMessages);
    while (!batch.isFull) batch.add(message('{}'));
    expect(batch.messages.length).toBe(expected);
  });

  it('never exceeds 512,000 bytes as a whole body, and wastes none', () => {
    const sizes = fc.array(fc.integer({ min: 2, max: 32_768 }), { minLength: 40 });
    fc.assert(
      fc.property(sizes, (lengths) => {
        const batch = new Batch(2_500);
        const next = lengths.find((length) => {
          if (!batch.fits(length)) return true;
          batch.add(message(Buffer.alloc(length, 'x')));
          return false;
        });
        const body = batch.seal(now).length;
        expect(body).toBeLessThanOrEqual(maxBatchBytes);
        if (next !== undefined) expect(body + 1 + next).toBeGreaterThan(maxBatchBytes);
      }),
      { numRuns: 30 },
    );
  });
});
