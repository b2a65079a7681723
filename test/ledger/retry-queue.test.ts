import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/delivery/outcome.js';
import { ImportStore } from '../../src/ledger/store.js';
import { runPipeline } from '../../src/importer/pipeline.js';
import { eventOf } from '../helpers/events.js';
import { openLedger } from '../helpers/ledger.js';
import { MemoryTarget } from '../helpers/memory-target.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { changesOf, waitingRow } from '../importer/workers/commits.js';

const second = 1_000;
const hour = 3_600 * second;

describe('a clock that is set back', () => {
  it('before a run delays no retry by more than its own delay', async () => {
    const clock = new VirtualClock();
    const storedAt = clock.now();
    const endpointDelivery = {
      attempts: 2,
      firstAt: storedAt - 5 * second,
      status: 503,
      error: null,
    };
    const dueAt = storedAt + 15 * second;
    const store = await ImportStore.open(':memory:');
    const later = waitingRow(1, {
      dueAt,
      delayMs: 15 * second,
      endpointDeliveries: [{ ...endpointDelivery, dueAt }],
    });
    const soon = waitingRow(2, {
      dueAt: 0,
      delayMs: 15 * second,
      endpointDeliveries: [endpointDelivery],
    });
    store.commit(changesOf({ putRetries: [later, soon] }));
    clock.set(-2 * hour);
    const { ledger } = await openLedger({ store, clock });
    expect(ledger.takeDue(9).map(({ id }) => id)).toEqual([2]);
    clock.advance(15 * second);
    const [row] = ledger.takeDue(9);
    expect(row).toMatchObject({
      id: 1,
      dueAt: clock.now(),
      endpointDeliveries: [{ ...endpointDelivery, dueAt }],
    });
  });

  it.each([
    ['while a retry waits', 5 * second, -2 * hour, 10 * second],
    ['while one waits for a long time', hour, -5 * hour, hour + 60 * second],
    ['by less than a second', 5 * second, -0.9 * second, 6 * second],
    ['forward', hour, 5 * hour, 60 * second],
  ])('%s stalls nothing', async (_when, delayMs, jumpMs, atMostMs) => {
    const clock = new VirtualClock();
    const { ledger } = await openLedger({ clock });
    const target = new MemoryTarget((_outgoing, index) => (index === 0 ? retryIn(delayMs) : {}));
    const retryIn = (ms: number): Partial<Outcome> => {
      const dueAt = clock.now() + ms;
      const endpointDelivery = {
        attempts: 1,
        firstAt: clock.now(),
        status: 503,
        error: null,
        dueAt,
      };
      return { verdict: 'pending', retry: { dueAt, endpointDeliveries: [endpointDelivery] } };
    };
    const running = runPipeline({
      source: oneBatch(),
      isSelected: () => true,
      limit: Infinity,
      stamp: { ids: 'keep', seed: '' },
      target,
      ledger,
      clock,
      sleep: () => Promise.resolve(),
      interrupted: new AbortController().signal,
    });
    // The commit, and the wait for the retry.
    await clock.timers(2);
    clock.advance(second);
    clock.set(jumpMs);
    await clock.runUntil(running);
    expect(clock.elapsedMs).toBeLessThanOrEqual(second + atMostMs);
    expect(target.sent.at(-1)!.endpointDeliveries![0]!.dueAt).toBeLessThanOrEqual(clock.now());
    expect(ledger.finish(true)).toMatchObject({ read: 1, delivered: 1, pending: 0 });
  });
});

// eslint-disable-next-line @typescript-eslint/require-await -- a source is asynchronous
async function* oneBatch() {
  yield [eventOf({}, { line: 1 })];
}

describe('the reason why events wait', () => {
  it('is that of the latest failure, at first of one of an earlier run', async () => {
    const dueAt = new VirtualClock().now() + 5 * second;
    const stored = { attempts: 1, firstAt: 0, status: 503, error: null, dueAt };
    const { ledger, store } = await openLedger({ clock: new VirtualClock() });
    expect(ledger.retryCode).toBeUndefined();
    store.commit(changesOf({ putRetries: [waitingRow(1, { endpointDeliveries: [stored] })] }));
    const { ledger: next } = await openLedger({ store, clock: new VirtualClock() });
    expect(next.retryCode).toBe('status_503');
    const event = eventOf({}, { line: 2 });
    const endpointDeliveries = [{ ...stored, status: null, error: 'dns' as const }];
    const retry: Outcome = {
      ...{
        verdict: 'pending',
        messageId: 'm2',
        attempts: [],
        retry: { dueAt, endpointDeliveries },
      },
    };
    next.close(next.open(event), event, { messageId: 'm2', writesMessageId: false }, retry);
    expect(next.retryCode).toBe('dns');
  });
});
