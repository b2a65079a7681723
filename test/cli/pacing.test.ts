import { afterEach, describe, expect, it } from 'vitest';
import { folderWith } from '../helpers/folder.js';
import { event, events, runImport, summaryOf, Witness } from '../helpers/process.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';

let receiver: Receiver;
afterEach(() => receiver.close());

/** When each event came, in milliseconds, by its number. */
async function timed(): Promise<{ at: Map<number, number>; witness: Witness }> {
  const at = new Map<number, number>();
  const witness = new Witness();
  const answer = witness.answering(([n]) => {
    at.set(n!, performance.now());
    return 200;
  });
  receiver = await startReceiver(answer);
  return { at, witness };
}

function median(numbers: number[]): number {
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

const moment = (n: number, ms: number): string =>
  event(n).replace('2026-01-01T00:00:00Z', new Date(Date.UTC(2026, 0, 1) + ms).toISOString());

/** Margins are wide: the machine that runs the tests has other work, too. */
describe('evfwd import, paced', () => {
  it('keeps the rate', async () => {
    const { at } = await timed();
    const cwd = folderWith({ e: events(1_000) });
    const result = await runImport(['e', '--url', receiver.url, '--rate', '500/s'], cwd);
    expect(summaryOf(result)).toMatchObject({ delivered: 1_000 });
    const times = [...at.values()];
    const seconds = (Math.max(...times) - Math.min(...times)) / 1000;
    expect(seconds).toBeGreaterThan(1.75);
    expect(seconds).toBeLessThan(2.6);
  });

  it('keeps the spacing of the events at --speed, and says how long it takes and how late it was', async () => {
    const { at, witness } = await timed();
    const offsets = Array.from({ length: 200 }, (_, n) => n * 100);
    const lines = offsets.map((ms, n) => moment(n, ms));
    lines.push(moment(200, 5_000));
    const cwd = folderWith({ e: lines.join('\n') });
    const result = await runImport(['e', '--url', receiver.url, '--speed', '10x'], cwd);
    expect(result.stderr).toMatch(/at 10x of the events' own speed this takes .*2 s/);
    expect(result.stderr).toContain('out of order, and sent at once: 1');
    const summary = summaryOf(result) as unknown as { outOfOrder: number; lateMs: { p50: number } };
    expect(summary).toMatchObject({ delivered: 201, outOfOrder: 1 });
    expect(summary.lateMs.p50).toBeLessThan(20);
    expect(witness.missing(201)).toEqual([]);
    const start = at.get(0)!;
    expect(median(offsets.map((ms, n) => Math.abs(at.get(n)! - start - ms / 10)))).toBeLessThan(60);
  });

  it('waits no longer than --max-wait', async () => {
    await timed();
    const cwd = folderWith({ e: [moment(0, 0), moment(1, 3_600_000)].join('\n') });
    const args = ['e', '--url', receiver.url, '--speed', '1x', '--max-wait', '200ms'];
    expect(summaryOf(await runImport(args, cwd))).toMatchObject({ delivered: 2 });
  });

  it('keeps each user in order, also when some events are answered 503 first', async () => {
    const count = 600;
    const witness = new Witness();
    const order = new Map<number, number[]>();
    const later = new Set([3, 40, 41, 300]);
    receiver = await startReceiver(
      witness.answering(([n]) => {
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
