import { afterEach, describe, expect, it } from 'vitest';
import type { Summary } from '../../src/ledger/summary.js';
import { folderWith } from '../helpers/folder.js';
import { event, events, runImport, summaryOf, Witness } from '../helpers/process.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';

let receiver: Receiver;
afterEach(() => receiver.close());

/**
 * When each event came, in milliseconds since now, by its number. No event can come before its time, by
 * this clock either, which starts before the program does. How late it comes depends on the machine: that
 * the program has waited, and not been slow, its own measure of the run tells.
 */
async function timed(): Promise<{ at: Map<number, number>; witness: Witness }> {
  const at = new Map<number, number>();
  const witness = new Witness();
  const began = performance.now();
  const response = witness.responding(([n]) => {
    at.set(n!, performance.now() - began);
    return 200;
  });
  receiver = await startReceiver(response);
  return { at, witness };
}

/** Which events came before they were due. */
function early(at: ReadonlyMap<number, number>, dueAt: (n: number) => number): number[] {
  return [...at].filter(([n, ms]) => ms < dueAt(n)).map(([n]) => n);
}

const eventAt = (n: number, ms: number): string =>
  event(n).replace('2026-01-01T00:00:00Z', new Date(Date.UTC(2026, 0, 1) + ms).toISOString());

describe('evfwd import, paced', () => {
  it('keeps the rate', async () => {
    const { at } = await timed();
    const cwd = folderWith({ e: events(100) });
    const summary = summaryOf(await runImport(['e', '--url', receiver.url, '--rate', '50/s'], cwd));
    expect(summary).toMatchObject({ delivered: 100 });
    // Ten in a hundred more may go for a while, to make up for lost time.
    const minMs = 1_000 / (50 * 1.1);
    const order = [...at.values()].map((ms, n) => [n, ms] as const);
    expect(early(new Map(order), (n) => n * minMs)).toEqual([]);
    expect(summary.seconds * 1_000).toBeGreaterThanOrEqual(99 * minMs);
  });

  it('keeps the original timing with --speed, and reports duration and schedule lag', async () => {
    const { at, witness } = await timed();
    const offsets = Array.from({ length: 200 }, (_, n) => n * 100);
    const lines = offsets.map((ms, n) => eventAt(n, ms));
    lines.push(eventAt(200, 5_000));
    const cwd = folderWith({ e: lines.join('\n') });
    const result = await runImport(['e', '--url', receiver.url, '--speed', '10x'], cwd);
    expect(result.stderr).toMatch(/replaying at 10x: .*2 s/);
    expect(result.stderr).toContain('1 event was out of order and sent immediately');
    const summary = summaryOf(result) as Summary & { lateMs: { p50: number } };
    expect(summary).toMatchObject({ delivered: 201, outOfOrder: 1 });
    expect(summary.lateMs.p50).toEqual(expect.any(Number));
    expect(witness.missing(201)).toEqual([]);
    // The last one is out of order: it goes at once.
    expect(early(at, (n) => (offsets[n] ?? 0) / 10)).toEqual([]);
    expect(summary.seconds * 1_000).toBeGreaterThanOrEqual(offsets.at(-1)! / 10);
  });

  it('waits for --max-wait and no longer', async () => {
    const { at } = await timed();
    const hours = Array.from({ length: 6 }, (_, n) => eventAt(n, n * 3_600_000));
    const cwd = folderWith({ e: hours.join('\n') });
    const args = ['e', '--url', receiver.url, '--speed', '1x', '--max-wait', '400ms'];
    const summary = summaryOf(await runImport(args, cwd));
    expect(summary).toMatchObject({ delivered: 6 });
    expect(early(at, (n) => n * 400)).toEqual([]);
    expect(summary.seconds).toBeGreaterThanOrEqual(2);
  });

  it('keeps each user in order, also when some events get a 503 first', async () => {
    const count = 600;
    const witness = new Witness();
    const order = new Map<number, number[]>();
    const later = new Set([3, 40, 41, 300]);
    receiver = await startReceiver(
      witness.responding(([n]) => {
        if (later.delete(n!)) return 503;
        const user = n! % 20;
        order.set(user, [...(order.get(user) ?? []), n!]);
        return 200;
      }),
    );
    const cwd = folderWith({ e: events(count) });
    const result = await runImport(['e', '--url', receiver.url, '--ordered'], cwd);
    expect(summaryOf(result)).toMatchObject({ read: count, delivered: count, retries: 4 });
    for (const [user, numbers] of order) {
      expect(numbers).toEqual(Array.from({ length: count / 20 }, (_, i) => user + 20 * i));
    }
  });
});
