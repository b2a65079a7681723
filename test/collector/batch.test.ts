import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Batch, eventBatch, maxBatchBytes } from '../../src/collector/batch.js';
import type { EndpointDeliveryState } from '../../src/delivery/outcome.js';
import { version } from '../../src/version.js';
import { eventOf } from '../helpers/events.js';

const now = Date.parse('2026-11-20T08:30:00.000Z');

function bodyOf(batch: string): string {
  return (
    `{"batch":[${batch}],"sentAt":"2026-11-20T08:30:00.000Z",` +
    `"context":{"library":{"name":"evfwd","version":"${version}"}}}`
  );
}

describe('the body of a batch', () => {
  it('has the messages in order, the time and the library', () => {
    const batch = new Batch<string>(20);
    batch.add('first', Buffer.from('{"a":1e400}'));
    batch.add('second', '{"b":"é\u{1f600}"}');
    expect(batch.seal(now).toString()).toBe(bodyOf('{"a":1e400},{"b":"é\u{1f600}"}'));
  });

  it('carries one event with what it lacks', () => {
    const event = eventOf({});
    const stamp = { messageId: 'm', writesMessageId: true, timestamp: '2026-01-01T00:00:00Z' };
    const text = event.bytes.toString().slice(0, -1);
    const added = ',"messageId":"m","timestamp":"2026-01-01T00:00:00Z"}';
    expect(eventBatch(event, stamp, now).toString()).toBe(bodyOf(text + added));
  });

  it('is the same however long it was expected to be, with room for little else', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.uint8Array());
    const texts = fc.array(text.map((one) => (typeof one === 'string' ? one : Buffer.from(one))));
    fc.assert(
      fc.property(texts, fc.nat(100_000), (texts, expectedBytes) => {
        const batch = new Batch<string | Buffer>(2_500, expectedBytes);
        for (const one of texts) batch.add(one, one);
        const body = batch.seal(now);
        const whole = bodyOf(texts.map((one) => Buffer.from(one).toString('latin1')).join(','));
        expect(body.toString('latin1')).toBe(whole);
        expect(body.buffer.byteLength).toBeLessThanOrEqual(Math.max(2 * body.length, 8_192));
      }),
    );
  });
});

describe('the messages of a batch', () => {
  it('are one share where they were never tried, and else one each', () => {
    const endpointDelivery: EndpointDeliveryState = {
      attempts: 2,
      firstAt: now,
      status: 503,
      error: null,
    };
    const batch = new Batch<string>(20);
    batch.add('a', '{}');
    batch.add('b', '{}', endpointDelivery);
    batch.add('c', '{}');
    batch.add('d', '{}', endpointDelivery);
    expect(batch.size).toBe(4);
    expect(batch.shares).toEqual([
      { messages: ['a', 'c'], endpointDelivery: undefined },
      { messages: ['b'], endpointDelivery },
      { messages: ['d'], endpointDelivery },
    ]);
  });
});

describe('a batch', () => {
  it.each([
    [1, 1],
    [20, 20],
    [2_500, 2_500],
    [10_000, 2_500],
  ])('that may hold %i messages is full with %i', (maxMessages, expected) => {
    const batch = new Batch<number>(maxMessages);
    while (!batch.isFull) batch.add(0, '{}');
    expect(batch.size).toBe(expected);
  });

  it.each<[string, (bytes: number) => string | Buffer]>([
    ['bytes', (bytes) => Buffer.alloc(bytes, 'x')],
    ['ASCII text', (bytes) => 'x'.repeat(bytes)],
    ['other text', (bytes) => 'é'.repeat(bytes / 2) + 'x'.repeat(bytes % 2)],
  ])('of %s never exceeds 512,000 bytes as a whole body, and wastes none', (_kind, textOf) => {
    const sizes = fc.array(fc.integer({ min: 2, max: 32_768 }), { minLength: 40 });
    fc.assert(
      fc.property(sizes, (lengths) => {
        const batch = new Batch<number>(2_500);
        const next = lengths.find((length) => {
          if (!batch.fits(textOf(length))) return true;
          batch.add(length, textOf(length));
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
