import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { afterAttempt, isPastWindow } from '../../src/delivery/endpoint-state.js';
import { KeyedQueue } from '../../src/delivery/keyed-queue.js';
import { RateLimiter } from '../../src/delivery/rate-limiter.js';
import { defaultRetryDelaysMs } from '../../src/delivery/retry-schedule.js';
import type { AttemptLog } from '../../src/ledger/attempt-log.js';
import { withResolvers } from '../../src/with-resolvers.js';
import { StateError, UsageError } from '../../src/errors.js';
import { transformWith } from '../../src/events/transform.js';
import type { LedgerOptions } from '../../src/ledger/ledger.js';
import { runPipeline, type Pipeline } from '../../src/importer/pipeline.js';
import { eventOf, itemOf, type Item } from '../helpers/events.js';
import { folderWith } from '../helpers/folder.js';
import { openLedger } from '../helpers/ledger.js';
import { MemoryTarget } from '../helpers/memory-target.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

/** Events named 1, 2, 3 …, in batches of `size`. */
function batches(count: number, size = 3): Item[][] {
  const events = Array.from({ length: count }, (_, i) => {
    return eventOf({ event: `${i + 1}` }, { line: i + 1, offset: i * 100 });
  });
  return Array.from({ length: Math.ceil(count / size) }, (_, i) =>
    events.slice(i * size, (i + 1) * size),
  );
}

function names(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, i) => `${from + i}`);
}

/** A source that records how far it was read, and whether it was closed. */
class Source {
  batchesRead = 0;
  isClosed = false;
  readonly #batches: readonly Item[][];

  constructor(given: readonly Item[][]) {
    this.#batches = given;
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- a source is asynchronous
  async *[Symbol.asyncIterator](): AsyncGenerator<Item[]> {
    try {
      for (const batch of this.#batches) {
        this.batchesRead++;
        yield batch;
      }
    } finally {
      this.isClosed = true;
    }
  }
}

async function setUp(
  given: readonly Item[][],
  target: MemoryTarget,
  options: Partial<Pipeline> = {},
  ledgerOptions: Partial<LedgerOptions> = {},
) {
  const clock = options.clock ?? systemClock;
  const { ledger, store, path } = await openLedger({ clock, ...ledgerOptions });
  const source = new Source(given);
  const pipeline: Pipeline = {
    source,
    isSelected: () => true,
    limit: Infinity,
    stamp: { ids: 'keep', seed: 'seed' },
    target,
    ledger,
    clock,
    sleep: () => Promise.resolve(),
    interrupted: new AbortController().signal,
    ...options,
  };
  return { source, ledger, store, path, pipeline };
}

async function countsAfter(
  given: readonly Item[][],
  target: MemoryTarget,
  options: Partial<Pipeline> = {},
) {
  const { ledger, pipeline } = await setUp(given, target, options);
  await runPipeline(pipeline);
  const { read, delivered, rejected, failed, skipped, pending } = ledger.finish(true);
  return { read, delivered, rejected, failed, skipped, pending };
}

const none = { read: 0, delivered: 0, rejected: 0, failed: 0, skipped: 0, pending: 0 };

describe('a run', () => {
  it('sends the events in the order of the files, and ends when each has its outcome', async () => {
    const target = new MemoryTarget();
    expect(await countsAfter(batches(10), target)).toEqual({ ...none, read: 10, delivered: 10 });
    expect(target.values()).toEqual(names(1, 10));
  });

  it('sends nothing while the ledger has no room, however busy the target is', async () => {
    let open: () => void = () => undefined;
    let ask: () => void = () => undefined;
    const shut = new Promise<void>((resolve) => (open = resolve));
    const isAsked = new Promise<void>((resolve) => (ask = resolve));
    const third = 2;
    let hasRoom = true;
    const target = new MemoryTarget((_outgoing, index) => {
      if (index === third) hasRoom = false;
      return {};
    }, 1);
    const room = (): Promise<void> | undefined => {
      if (hasRoom) return undefined;
      ask();
      return shut;
    };
    const committer = { commit: () => undefined, close: () => undefined, room };
    const { pipeline } = await setUp(batches(10), target, {}, { committer });
    const running = runPipeline(pipeline);
    await Promise.race([isAsked, running]);
    expect(target.sent).toHaveLength(3);
    hasRoom = true;
    open();
    await running;
    expect(target.sent).toHaveLength(10);
  });

  it('sends nothing new while the log has no room, until it is interrupted', async () => {
    let isFull = false;
    let isStopped = false;
    const asked = withResolvers();
    const room = withResolvers();
    const log = {
      write: () => undefined,
      room: () => {
        if (!isFull || isStopped) return undefined;
        asked.resolve();
        return room.promise;
      },
      stop: () => {
        isStopped = true;
        room.resolve();
      },
    } as unknown as AttemptLog;
    const target = new MemoryTarget((_outgoing, index) => {
      if (index === 2) isFull = true;
      return {};
    }, 1);
    const interruption = new AbortController();
    const options = { interrupted: interruption.signal };
    const { pipeline, ledger } = await setUp(batches(10), target, options, { log });
    const running = runPipeline(pipeline);
    await Promise.race([asked.promise, running]);
    expect(target.sent).toHaveLength(3);
    interruption.abort();
    await running;
    expect(target.sent).toHaveLength(3);
    expect(ledger.finish(false)).toMatchObject({ read: 3, delivered: 3, pending: 0 });
  });

  it('without events ends at once', async () => {
    expect(await countsAfter([], new MemoryTarget())).toEqual(none);
  });

  it('gives each event its stamp', async () => {
    const target = new MemoryTarget();
    const clock = new VirtualClock();
    const running = countsAfter([[eventOf({ messageId: 'own' }), eventOf()]], target, { clock });
    await clock.runUntil(running);
    expect(target.sent.map(({ stamp }) => stamp)).toEqual([
      { messageId: 'own', writesMessageId: false, timestamp: '2026-11-20T08:30:00.000Z' },
      {
        messageId: expect.stringMatching(/^evfwd-/),
        writesMessageId: true,
        timestamp: '2026-11-20T08:30:00.000Z',
      },
    ]);
  });

  it('counts problems as rejected and unselected events as skipped, and sends neither', async () => {
    const target = new MemoryTarget();
    const items = [itemOf('oops'), ...batches(4, 4)[0]!, itemOf('{}')];
    const isSelected = ({ value }: { value: { event?: unknown } }) => value.event !== '2';
    const counts = await countsAfter([items], target, { isSelected });
    expect(counts).toEqual({ ...none, read: 6, delivered: 3, rejected: 2, skipped: 1 });
    expect(target.values()).toEqual(['1', '3', '4']);
  });

  it('has one outcome per event, whatever happens to it', async () => {
    const finalStatus = fc.constantFrom('delivered', 'failed', 'skipped', 'problem', 'unselected');
    await fc.assert(
      fc.asyncProperty(
        fc.array(finalStatus),
        fc.integer({ min: 1, max: 5 }),
        async (finalStatuses, room) => {
          const items = finalStatuses.map((event) =>
            event === 'problem' ? itemOf('{') : eventOf({ event }),
          );
          const target = new MemoryTarget(
            ({ event }) => ({ verdict: event.value.event as 'failed' }),
            room,
          );
          const counts = await countsAfter([items], target, {
            isSelected: ({ value }) => value.event !== 'unselected',
          });
          const count = (...wanted: string[]) =>
            finalStatuses.filter((one) => wanted.includes(one)).length;
          expect(counts).toEqual({
            read: finalStatuses.length,
            delivered: count('delivered'),
            failed: count('failed'),
            rejected: count('problem'),
            skipped: count('skipped', 'unselected'),
            pending: 0,
          });
        },
      ),
      { numRuns: 40 },
    );
  });

  it('passes on the error of its source', async () => {
    const { pipeline } = await setUp([], new MemoryTarget());
    async function* broken(): AsyncGenerator<Item[]> {
      yield* batches(1);
      await Promise.reject(new Error('unreadable'));
    }
    await expect(runPipeline({ ...pipeline, source: broken() })).rejects.toThrow('unreadable');
  });
});

describe('the limit', () => {
  it.each([
    [1, 1],
    [3, 1],
    [4, 2],
    [100, 4],
  ])('of %i is reached, and no more than needed is read', async (limit, batchesRead) => {
    const target = new MemoryTarget();
    const { source, pipeline } = await setUp(batches(10), target, { limit });
    await runPipeline(pipeline);
    expect(target.values()).toEqual(names(1, Math.min(limit, 10)));
    expect([source.batchesRead, source.isClosed]).toEqual([batchesRead, true]);
  });

  it('does not count what is not sent', async () => {
    const target = new MemoryTarget();
    const items = [itemOf('oops'), ...batches(3)[0]!];
    const isSelected = ({ value }: { value: { event?: unknown } }) => value.event !== '1';
    const counts = await countsAfter([items], target, { isSelected, limit: 1 });
    expect(counts).toEqual({ ...none, read: 3, delivered: 1, rejected: 1, skipped: 1 });
    expect(target.values()).toEqual(['2']);
  });
});

describe('a transform', () => {
  it('makes one event several, none, or a problem, and each is counted', async () => {
    const target = new MemoryTarget();
    const transform = transformWith((event) => {
      if (event.event === '1') return [event, { ...event, event: '1b' }];
      if (event.event === '2') return null;
      return event.event === '3' ? 'oops' : event;
    });
    const counts = await countsAfter(batches(5), target, { transform });
    expect(counts).toEqual({ ...none, read: 6, delivered: 4, skipped: 1, rejected: 1 });
    expect(target.values()).toEqual(['1', '1b', '4', '5']);
    expect(new Set(target.sent.map(({ stamp }) => stamp.messageId)).size).toBe(4);
  });

  it('respects the limit and the room of the target', async () => {
    const target = new MemoryTarget(() => ({}), 2);
    const transform = transformWith((event) => [event, event, event]);
    const counts = await countsAfter(batches(5), target, { transform, limit: 7 });
    expect(counts).toEqual({ ...none, read: 9, delivered: 7, skipped: 2 });
    expect(target.mostInFlight).toBe(2);
  });

  it('keeps the order, however long one event takes', async () => {
    const target = new MemoryTarget();
    const transform = transformWith(async (event) => {
      if (event.event === '1') await new Promise((resolve) => setImmediate(resolve));
      return event;
    });
    await countsAfter(batches(4), target, { transform });
    expect(target.values()).toEqual(names(1, 4));
  });
});

function rateOf(perSecond: number, now: () => number): RateLimiter {
  return new RateLimiter(perSecond, { monotonic: now });
}

describe('a rate', () => {
  it('delays each event', async () => {
    let now = 0;
    const waits: number[] = [];
    const sleep = (ms: number) => {
      waits.push(ms);
      now += ms;
      return Promise.resolve();
    };
    const rate = rateOf(100, () => now);
    const target = new MemoryTarget();
    await countsAfter(batches(5), target, { rate, sleep });
    expect(target.values()).toEqual(names(1, 5));
    expect(waits).toEqual([10, 10, 10, 10]);
  });

  it('does not delay events that are not sent', async () => {
    const rate = rateOf(0.001, () => 0);
    const sleep = () => Promise.reject(new Error('waited'));
    const isSelected = () => false;
    const counts = await countsAfter(batches(3), new MemoryTarget(), { rate, sleep, isSelected });
    expect(counts.skipped).toBe(3);
  });
});

describe('the room of the target', () => {
  it.each([1, 2, 7])('for %i is never exceeded', async (room) => {
    const target = new MemoryTarget(() => ({}), room);
    await countsAfter(batches(50, 20), target);
    expect(target.mostInFlight).toBe(room);
    expect(target.values()).toEqual(names(1, 50));
  });

  it('is waited for before more is read', async () => {
    const target = new MemoryTarget(() => undefined, 2);
    const { source, pipeline } = await setUp(batches(9), target);
    const running = runPipeline(pipeline);
    for (const [sent, batchesRead] of [
      [2, 1],
      [4, 2],
      [6, 3],
      [8, 3],
      [9, 3],
    ]) {
      await turns();
      expect([target.sent.length, source.batchesRead]).toEqual([sent, batchesRead]);
      target.release();
    }
    await running;
  });
});

describe('an interruption', () => {
  it('ends reading; requests in flight end, waiting events are left to the next run', async () => {
    const controller = new AbortController();
    const target = new MemoryTarget(({ event }, index) => {
      if (index === 4) controller.abort();
      return event.value.event === '1' ? {} : undefined;
    });
    const { source, ledger, store, path, pipeline } = await setUp(batches(30), target, {
      interrupted: controller.signal,
    });
    await runPipeline(pipeline);
    expect(target.sent).toHaveLength(5);
    expect([source.batchesRead, source.isClosed, target.interruptions]).toEqual([2, true, 1]);
    const summary = ledger.finish(true);
    expect(summary).toMatchObject({ read: 5, delivered: 1, pending: 4, failed: 0 });
    expect(existsSync(path)).toBe(false);
    expect(store.checkpoint().open).toEqual([[0, 2, 100, 4]]);
  });

  it('ends the wait for room and for the rate', async () => {
    for (const isPaced of [false, true]) {
      const controller = new AbortController();
      const target = new MemoryTarget(() => undefined, isPaced ? Infinity : 1);
      const rate = isPaced ? rateOf(1, () => 0) : undefined;
      const { ledger, pipeline } = await setUp(batches(5), target, {
        interrupted: controller.signal,
        rate,
        sleep: () => new Promise((resolve) => (controller.signal.onabort = () => resolve())),
      });
      const running = runPipeline(pipeline);
      await turns();
      expect(target.sent).toHaveLength(1);
      controller.abort();
      await running;
      expect(target.sent).toHaveLength(1);
      expect(ledger.finish(true)).toMatchObject({ read: 1, pending: 1 });
    }
  });

  it('before the start prevents all sending', async () => {
    const target = new MemoryTarget();
    const counts = await countsAfter(batches(5), target, { interrupted: AbortSignal.abort() });
    expect([counts, target.sent]).toEqual([none, []]);
  });
});

describe('an outcome that cannot be recorded', () => {
  const many = Array.from({ length: 40 }, (_, i) =>
    batches(1_000, 1_000)[0]!.slice(i * 25, i * 25 + 25),
  );

  it.each(deadLetterTraps())('stops the run: %s', async (_what, path) => {
    const { ledger } = await openLedger({}, path());
    const target = new MemoryTarget(() => ({ verdict: 'failed' }), 1);
    const { source, pipeline } = await setUp(many, target, { ledger });
    await expect(runPipeline(pipeline)).rejects.toThrow(/: the dead-letter file cannot be written/);
    // A commit comes 5 ms after the first outcome, or with the 500th.
    expect(target.sent.length).toBeLessThanOrEqual(501);
    expect(target.interruptions).toBe(1);
    expect(source.isClosed).toBe(true);
  });

  it('stops it also where the events are rejected', async () => {
    const path = join(folderWith({ file: '' }), 'file', 'dead.ndjson');
    const { ledger } = await openLedger({}, path);
    const target = new MemoryTarget();
    const bad = Array.from({ length: 500 }, (_, i) => itemOf('{', { line: i + 1 }));
    const { pipeline } = await setUp([[...bad, eventOf({}, { line: 501 })]], target, { ledger });
    await expect(runPipeline(pipeline)).rejects.toThrow(StateError);
    expect(target.sent).toEqual([]);
  });

  it('stops it while nothing else happens: a timer starts the commit', async () => {
    const clock = new VirtualClock();
    const path = join(folderWith({ file: '' }), 'file', 'dead.ndjson');
    const { ledger } = await openLedger({ clock }, path);
    const target = new MemoryTarget((_outgoing, index) =>
      index === 0 ? { verdict: 'failed' } : undefined,
    );
    const { pipeline } = await setUp(batches(2), target, { ledger, clock });
    const running = expect(runPipeline(pipeline)).rejects.toThrow(StateError);
    await clock.timers(1);
    expect([target.interruptions, clock.waits]).toEqual([0, [5]]);
    clock.advance(5);
    await running;
    expect(target.interruptions).toBe(1);
  });
});

describe('an event with a retry', () => {
  const second = 1_000;
  const hour = 3_600 * second;

  /** Returns each event for a retry until it had `attempts` attempts, by the default schedule. */
  function failing(clock: VirtualClock, attempts: (name: unknown) => number, windowMs = 4 * hour) {
    const log: [name: unknown, atSeconds: number][] = [];
    const policy = { windowMs, delaysMs: defaultRetryDelaysMs, random: () => 0.5 };
    const target = new MemoryTarget(({ event, endpointDeliveries, stamp }) => {
      const { event: name } = event.value;
      log.push([name, clock.elapsedMs / second]);
      const isUp = (endpointDeliveries?.[0]?.attempts ?? 0) + 1 >= attempts(name);
      const endpointDelivery = afterAttempt(
        endpointDeliveries?.[0],
        {
          ...{ url: 'memory:', attempt: 1, at: clock.now(), durationMs: 0, error: null },
          ...{ status: isUp ? 200 : 503, verdict: isUp ? 'delivered' : 'retry' },
        },
        policy,
        clock.now(),
      );
      if (isUp) return {};
      if (endpointDelivery.dueAt === undefined) return { verdict: 'failed' };
      const { messageId } = stamp;
      return {
        verdict: 'pending',
        messageId,
        retry: { dueAt: endpointDelivery.dueAt, endpointDeliveries: [endpointDelivery] },
      };
    }, 50);
    return { log, target };
  }

  it('is sent again when it is due, without delaying others', async () => {
    const clock = new VirtualClock();
    const { log, target } = failing(clock, (name) => (name === '2' ? 4 : 1));
    const { ledger, pipeline } = await setUp(batches(5), target, { clock });
    await runOut(clock, runPipeline(pipeline));
    expect(log.map(([name, at]) => `${String(name)} ${Math.round(at)}`)).toEqual([
      ...['1 0', '2 0', '3 0', '4 0', '5 0', '2 5', '2 20', '2 65'],
    ]);
    expect(ledger.finish(true)).toMatchObject({ read: 5, delivered: 5, pending: 0 });
    const stamps = target.sent.filter(({ event }) => event.value.event === '2');
    expect(new Set(stamps.map(({ stamp }) => JSON.stringify(stamp))).size).toBe(1);
    expect(clock.waits).toEqual([]);
  });

  it('is sent again while reading continues', async () => {
    const clock = new VirtualClock();
    const { log, target } = failing(clock, (name) => (name === '1' ? 2 : 1));
    const sleep = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
    const schedule = { waitFor: () => 2 * second, granted: () => undefined };
    const { pipeline } = await setUp(batches(5), target, { clock, sleep, schedule });
    await runOut(clock, runPipeline(pipeline));
    expect(log.map(([name]) => name)).toEqual(['1', '2', '3', '1', '4', '5']);
  });

  it('takes turns of the rate with the new events, before them, and in order', async () => {
    const clock = new VirtualClock();
    const { log, target } = failing(clock, (name) => (Number(name) <= 3 ? 2 : 1));
    const sleep = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
    const rate = rateOf(1.25, () => clock.monotonic());
    const { ledger, pipeline } = await setUp(batches(12), target, { clock, sleep, rate });
    await runOut(clock, runPipeline(pipeline));
    // One each 0.8 s; the first three are due again after 5 s.
    expect(log).toEqual(
      ['1', '2', '3', '4', '5', '6', '7', '1', '2', '3', '8', '9', '10', '11', '12'].map(
        (name, i) => [name, expect.closeTo(0.8 * i, 3)],
      ),
    );
    expect(ledger.finish(true)).toMatchObject({ read: 12, delivered: 12 });
  });

  it('waits while the ledger has no room', async () => {
    const clock = new VirtualClock();
    const { log, target } = failing(clock, () => 2);
    const { ledger, pipeline } = await setUp(batches(1), target, { clock });
    const room = withResolvers();
    let isFull = true;
    const asked = withResolvers();
    const full = (): Promise<void> | undefined => {
      if (!isFull || log.length === 0) return undefined;
      asked.resolve();
      return room.promise;
    };
    const running = runPipeline({
      ...pipeline,
      ledger: Object.assign(ledger, { roomForRetry: full }),
    });
    const sent = runOut(clock, running);
    await asked.promise;
    await turns();
    expect(log).toHaveLength(1);
    isFull = false;
    room.resolve();
    await sent;
    expect(log).toHaveLength(2);
  });

  it('keeps to the rate, however many are due at once', async () => {
    const clock = new VirtualClock();
    const { log, target } = failing(clock, () => 2);
    const sleep = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
    const rate = rateOf(10, () => clock.monotonic());
    const { pipeline } = await setUp(batches(300, 100), target, { clock, sleep, rate });
    await runOut(clock, runPipeline(pipeline));
    expect(log).toHaveLength(600);
    log.forEach(([, at], i) => expect(at).toBeGreaterThanOrEqual(i / 10 - 0.001));
    expect(log.at(-1)![1]).toBeLessThan(61);
  });

  it('that waits for a turn beyond its retry window has its last attempt all the same', async () => {
    const clock = new VirtualClock();
    const windowMs = 10 * second;
    const { target } = failing(clock, () => Infinity, windowMs);
    const sleep = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
    const rate = rateOf(1, () => clock.monotonic());
    const { pipeline } = await setUp(batches(30, 30), target, { clock, sleep, rate });
    await runOut(clock, runPipeline(pipeline));
    const policy = { windowMs, delaysMs: defaultRetryDelaysMs, random: () => 0.5 };
    const isOver = target.sent.map(({ endpointDeliveries }, i) => {
      const { firstAt = 0 } = endpointDeliveries?.[0] ?? {};
      const sentAt = clock.startedAt + i * second;
      return {
        isLate: i > 0 && firstAt > 0 && sentAt > firstAt + windowMs,
        endpointDeliveries,
        sentAt,
      };
    });
    const late = isOver.filter(({ isLate }) => isLate);
    expect(late.length).toBeGreaterThan(10);
    for (const { endpointDeliveries, sentAt } of late)
      expect(isPastWindow(endpointDeliveries![0]!, policy, sentAt)).toBe(false);
  });

  it('whose window ended before the run began is not late because of the rate', async () => {
    const clock = new VirtualClock();
    const controller = new AbortController();
    const { target } = failing(clock, () => 2, 10 * second);
    const first = await setUp(batches(1), target, { clock, interrupted: controller.signal });
    const running = runPipeline(first.pipeline);
    await turns();
    controller.abort();
    await running;
    first.ledger.finish(true);
    clock.advance(hour);
    const later = await setUp([], target, { clock }, { store: first.store });
    await runOut(clock, runPipeline(later.pipeline));
    const [state] = target.sent[1]!.endpointDeliveries!;
    const policy = { windowMs: 10 * second, delaysMs: defaultRetryDelaysMs, random: () => 0.5 };
    expect(isPastWindow(state!, policy, clock.now())).toBe(true);
  });

  it('has at least 8 attempts in 4 hours, none after that, and then becomes a dead letter', async () => {
    const clock = new VirtualClock();
    const { log, target } = failing(clock, () => Infinity);
    const { ledger, store, path, pipeline } = await setUp(batches(2), target, { clock });
    await runOut(clock, runPipeline(pipeline));
    expect(log.length / 2).toBeGreaterThanOrEqual(8);
    expect(log.at(-1)![1]).toBeLessThanOrEqual((4 * hour) / second);
    expect(ledger.finish(true)).toMatchObject({ read: 2, failed: 2, pending: 0 });
    expect([store.retryCount(), readFileSync(path, 'utf8').split('\n').length]).toEqual([0, 3]);
  });

  it('is stored at an interruption, and sent by the next run', async () => {
    const clock = new VirtualClock();
    const controller = new AbortController();
    const { log, target } = failing(clock, () => 2);
    const first = await setUp(batches(3), target, { clock, interrupted: controller.signal });
    const running = runPipeline(first.pipeline);
    await turns();
    controller.abort();
    await running;
    expect(first.ledger.finish(true)).toMatchObject({ read: 3, pending: 3 });
    expect([first.store.retryCount(), log.length]).toEqual([3, 3]);
    const later = await setUp([], target, { clock }, { store: first.store });
    await runOut(clock, runPipeline(later.pipeline));
    expect(later.ledger.finish(true)).toMatchObject({ read: 3, delivered: 3, resumed: true });
    expect(log.slice(3).map(([name, at]) => [name, Math.round(at)])).toEqual([
      ...[
        ['1', 5],
        ['2', 5],
        ['3', 5],
      ],
    ]);
  });

  it('delays the later events of its user, and of no other user', async () => {
    const clock = new VirtualClock();
    const { log, target } = failing(clock, (name) => (name === 'a1' ? 3 : 1));
    const names = ['a1', 'b1', 'a2', 'b2', 'a3', 'a4'];
    const items = names.map((event, i) =>
      eventOf({ event, userId: event[0] }, { line: i + 1, offset: i * 100 }),
    );
    // Fewer events may be held than there are: reading waits, and the retry must be sent all the same.
    const order = new KeyedQueue<() => void>((start) => start(), 2);
    const { ledger, pipeline } = await setUp([items], target, { clock, order });
    await runOut(clock, runPipeline(pipeline));
    expect(log.map(([name]) => name)).toEqual(['a1', 'b1', 'b2', 'a1', 'a1', 'a2', 'a3', 'a4']);
    expect(ledger.finish(true).delivered).toBe(6);
  });

  it('pauses reading when 10,000 wait, until some have ended', async () => {
    const clock = new VirtualClock();
    const { target } = failing(clock, () => 2);
    const { source, ledger, pipeline } = await setUp(batches(10_100, 100), target, { clock });
    const running = runPipeline(pipeline);
    while (ledger.waiting < 10_000) await turns();
    await turns();
    // Events in flight at that time still become retries.
    expect(target.sent.length).toBeLessThan(10_050);
    expect([source.batchesRead, ledger.waiting]).toEqual([101, target.sent.length]);
    await runOut(clock, running);
    expect(ledger.finish(true)).toMatchObject({ read: 10_100, delivered: 10_100 });
  });

  it('whose file has changed ends the run, and what was delivered stays delivered', async () => {
    const clock = new VirtualClock();
    const { target } = failing(clock, (name) => (name === '1' ? 2 : 1));
    const path = join(folderWith({ file: 'changed' }), 'file');
    const events = ['1', '2'].map((event, i) =>
      eventOf({ event }, { file: path, line: i + 1, length: 20, offset: i * 20 }),
    );
    const options = { files: [path], canReread: () => true };
    const { store, pipeline } = await setUp([events], target, { clock }, options);
    await expect(runOut(clock, runPipeline(pipeline))).rejects.toThrow(UsageError);
    expect([store.counts().delivered, store.retryCount()]).toEqual([1, 1]);
  });
});

/** Advances the clock only when nothing else can happen. */
async function runOut(clock: VirtualClock, running: Promise<void>): Promise<void> {
  const state = { isOver: false };
  const end = (): boolean => (state.isOver = true);
  running.then(end, end);
  while (!state.isOver) {
    await turns();
    clock.advance(clock.waits[0] ?? 0);
  }
  await running;
}

/** Lets pending work happen. */
async function turns(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
}

function deadLetterTraps(): [string, () => string][] {
  const traps: [string, () => string][] = [
    ['its folder is a file', () => join(folderWith({ file: '' }), 'file', 'dead.ndjson')],
  ];
  if (existsSync('/dev/full')) traps.push(['the disk is full', () => '/dev/full']);
  return traps;
}
