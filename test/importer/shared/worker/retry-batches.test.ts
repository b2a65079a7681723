import { describe, expect, it } from 'vitest';
import {
  retryBatches,
  shifted,
  singleBatches,
} from '../../../../src/importer/shared/worker/retry-batches.js';
import type { RetryRow } from '../../../../src/ledger/retry-row.js';

function row(changes: Partial<RetryRow> = {}): RetryRow {
  return {
    id: 1,
    dueAt: 1_000,
    delayMs: 500,
    file: 0,
    line: 1,
    offset: 0,
    length: 10,
    part: 0,
    hash: 'h',
    text: null,
    givenId: null,
    stamp: { messageId: 'm', writesMessageId: false },
    user: 'u',
    endpointDeliveries: [{ attempts: 1, firstAt: 900, status: 503, error: null, dueAt: 1_000 }],
    ...changes,
  };
}

const idOf = (n: number): string => `r-${n}`;

describe('events that are to be retried', () => {
  it('make a batch if they are due within a second, the earliest first', () => {
    const rows = [2_500, 1_000, 2_001, 2_000].map((dueAt) => row({ dueAt }));
    const batches = [...retryBatches(rows, idOf)];
    expect(batches.map(([id, batch]) => [id, batch.dueAt, batch.rows.length])).toEqual([
      ['r-1', 1_000, 2],
      ['r-2', 2_001, 2],
    ]);
  });

  it('make batches of at most 100', () => {
    const rows = Array.from({ length: 250 }, (_, i) => row({ offset: i }));
    const sizes = [...retryBatches(rows, idOf).values()].map((batch) => batch.rows.length);
    expect(sizes).toEqual([100, 100, 50]);
  });

  it.each([
    [300_000, [3, 3, 1]],
    [1_000_000, [1, 1, 1, 1, 1, 1, 1]],
    [1_500_000, [1, 1, 1, 1, 1, 1, 1]],
  ])('make batches of at most 1 MB of text, of events of %i bytes', (bytes, expected) => {
    const text = Buffer.alloc(bytes, 'x');
    const rows = Array.from({ length: 7 }, (_, i) => row({ part: i, text }));
    const batches = [...retryBatches(rows, idOf).values()];
    expect(batches.map((batch) => batch.rows.length)).toEqual(expected);
    expect(batches.flatMap((batch) => batch.rows.map(({ part }) => part))).toEqual(
      rows.map(({ part }) => part),
    );
  });

  it('make none without rows', () => {
    expect(retryBatches([], idOf).size).toBe(0);
  });

  it('have ids of their own in a table, whose rows begin at the same offset in each row group', () => {
    const rows = [row({ line: 1, offset: 0 }), row({ line: 2_001, offset: 0 })];
    expect(singleBatches(rows, '').size).toBe(2);
  });

  it('are queued alone after a further failure, under an id of the event and its attempts', () => {
    const [delivery] = row().endpointDeliveries;
    const twice = [delivery!, { ...delivery!, attempts: 2 }];
    const rows = [row({ file: 3, offset: 70, endpointDeliveries: twice }), row({ offset: 80 })];
    expect([...singleBatches(rows, 'e0-0-1').keys()]).toEqual(['e3-1-70-3', 'e0-1-80-1']);
    expect([...singleBatches(rows, 'e0-0-1').values()].map((batch) => batch.rows.length)).toEqual([
      1, 1,
    ]);
  });

  it('are moved to another clock with all their times', () => {
    const moved = shifted(row({ text: Buffer.from('x') }), 5_000, 7);
    expect(moved).toMatchObject({
      dueAt: 6_000,
      delayMs: 500,
      file: 7,
      endpointDeliveries: [{ firstAt: 5_900, dueAt: 6_000 }],
    });
    expect(shifted(moved, -5_000, 0)).toEqual(row({ text: Buffer.from('x') }));
  });

  it('have their text as a Buffer again after a copy between threads', () => {
    const copied = structuredClone(row({ text: Buffer.from('é') }));
    expect(shifted(copied, 0, 0).text?.toString()).toBe('é');
  });

  it('have no due time at a URL that was given up', () => {
    const [delivery] = row().endpointDeliveries;
    const { dueAt, ...ended } = delivery!;
    expect(dueAt).toBe(1_000);
    const [state] = shifted(row({ endpointDeliveries: [ended] }), 5, 0).endpointDeliveries;
    expect(state).not.toHaveProperty('dueAt');
  });
});
