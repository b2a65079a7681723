import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../src/clock.js';
import { Pace } from '../src/deliver/pace.js';
import { StateError } from '../src/errors.js';
import { transformWith } from '../src/events/transform.js';
import { FileWriter } from '../src/ledger/file-writer.js';
import { Ledger } from '../src/ledger/ledger.js';
import { run, type Pipeline } from '../src/pipeline.js';
import { eventOf, itemOf, type Item } from './helpers/events.js';
import { folderWith } from './helpers/folder.js';
import { MemoryTarget } from './helpers/memory-target.js';

/** Events that are called 1, 2, 3 …, in batches of so many. */
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

/** A source that knows how far it was read, and whether it was let go. */
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

function setUp(given: readonly Item[][], target: MemoryTarget, options: Partial<Pipeline> = {}) {
  const path = join(folderWith(), 'dead.ndjson');
  const ledger = new Ledger({
    deadLetters: new FileWriter(path, 'dead letters'),
    clock: systemClock,
  });
  const source = new Source(given);
  const pipeline: Pipeline = {
    source,
    isSelected: () => true,
    limit: Infinity,
    stamp: { ids: 'keep', seed: 'seed' },
    target,
    ledger,
    now: () => Date.parse('2026-11-20T08:30:00.000Z'),
    sleep: () => Promise.resolve(),
    interrupted: new AbortController().signal,
    ...options,
  };
  return { source, ledger, path, pipeline };
}

async function countsAfter(
  given: readonly Item[][],
  target: MemoryTarget,
  options: Partial<Pipeline> = {},
) {
  const { ledger, pipeline } = setUp(given, target, options);
  await run(pipeline);
  const { read, delivered, rejected, failed, skipped, pending } = await ledger.finish();
  return { read, delivered, rejected, failed, skipped, pending };
}

const none = { read: 0, delivered: 0, rejected: 0, failed: 0, skipped: 0, pending: 0 };

describe('a run', () => {
  it('sends the events in the order of the files, and ends when each has its outcome', async () => {
    const target = new MemoryTarget();
    expect(await countsAfter(batches(10), target)).toEqual({ ...none, read: 10, delivered: 10 });
    expect(target.values()).toEqual(names(1, 10));
  });

  it('without events is over at once', async () => {
    expect(await countsAfter([], new MemoryTarget())).toEqual(none);
  });

  it('gives each event its stamp', async () => {
    const target = new MemoryTarget();
    await countsAfter([[eventOf({ messageId: 'own' }), eventOf()]], target);
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

  it('has one outcome for every event, whatever happens to it', async () => {
    const fate = fc.constantFrom('delivered', 'failed', 'skipped', 'problem', 'unselected');
    await fc.assert(
      fc.asyncProperty(fc.array(fate), fc.integer({ min: 1, max: 5 }), async (fates, room) => {
        const items = fates.map((event) =>
          event === 'problem' ? itemOf('{') : eventOf({ event }),
        );
        const target = new MemoryTarget(
          ({ event }) => ({ verdict: event.value.event as 'failed' }),
          room,
        );
        const counts = await countsAfter([items], target, {
          isSelected: ({ value }) => value.event !== 'unselected',
        });
        const count = (...wanted: string[]) => fates.filter((one) => wanted.includes(one)).length;
        expect(counts).toEqual({
          read: fates.length,
          delivered: count('delivered'),
          failed: count('failed'),
          rejected: count('problem'),
          skipped: count('skipped', 'unselected'),
          pending: 0,
        });
      }),
      { numRuns: 40 },
    );
  });

  it('passes on the error of its source', async () => {
    const { pipeline } = setUp([], new MemoryTarget());
    async function* broken(): AsyncGenerator<Item[]> {
      yield* batches(1);
      await Promise.reject(new Error('broken off'));
    }
    await expect(run({ ...pipeline, source: broken() })).rejects.toThrow('broken off');
  });
});

describe('the limit', () => {
  it.each([
    [1, 1],
    [3, 1],
    [4, 2],
    [100, 4],
  ])('of %i is what is sent, and no more than needed is read', async (limit, batchesRead) => {
    const target = new MemoryTarget();
    const { source, pipeline } = setUp(batches(10), target, { limit });
    await run(pipeline);
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

  it('keeps to the limit and to the room of the target', async () => {
    const target = new MemoryTarget(() => ({}), 2);
    const transform = transformWith((event) => [event, event, event]);
    const counts = await countsAfter(batches(5), target, { transform, limit: 7 });
    expect(counts).toEqual({ ...none, read: 7, delivered: 7 });
    expect(target.mostInFlight).toBe(2);
  });

  it('keeps the order, however long it takes for one event', async () => {
    const target = new MemoryTarget();
    const transform = transformWith(async (event) => {
      if (event.event === '1') await new Promise((resolve) => setImmediate(resolve));
      return event;
    });
    await countsAfter(batches(4), target, { transform });
    expect(target.values()).toEqual(names(1, 4));
  });
});

describe('the pace', () => {
  it('is kept by waiting before each event', async () => {
    let now = 0;
    const waits: number[] = [];
    const sleep = (ms: number) => {
      waits.push(ms);
      now += ms;
      return Promise.resolve();
    };
    const pace = new Pace(100, { ...systemClock, now: () => now });
    const target = new MemoryTarget();
    await countsAfter(batches(5), target, { pace, sleep });
    expect(target.values()).toEqual(names(1, 5));
    expect(waits).toEqual([10, 10, 10, 10]);
  });

  it('is no reason to wait for what is not sent', async () => {
    const pace = new Pace(0.001, { ...systemClock, now: () => 0 });
    const sleep = () => Promise.reject(new Error('waited'));
    const isSelected = () => false;
    const counts = await countsAfter(batches(3), new MemoryTarget(), { pace, sleep, isSelected });
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
    const { source, pipeline } = setUp(batches(9), target);
    const running = run(pipeline);
    await new Promise((resolve) => setImmediate(resolve));
    expect([target.sent.length, source.batchesRead]).toEqual([2, 1]);
    target.interrupt();
    await running;
    expect([target.sent.length, source.batchesRead]).toEqual([9, 3]);
  });
});

describe('an interruption', () => {
  it('ends the reading; what is in flight ends, what waits is pending, and all is kept', async () => {
    const controller = new AbortController();
    const target = new MemoryTarget(({ event }, index) => {
      if (index === 4) controller.abort();
      return event.value.event === '1' ? {} : undefined;
    });
    const { source, ledger, path, pipeline } = setUp(batches(30), target, {
      interrupted: controller.signal,
    });
    await run(pipeline);
    expect(target.sent).toHaveLength(5);
    expect([source.batchesRead, source.isClosed, target.interruptions]).toEqual([2, true, 1]);
    const summary = await ledger.finish();
    expect(summary).toMatchObject({ read: 5, delivered: 1, pending: 4, failed: 0 });
    expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(4);
  });

  it('ends the wait for room and the wait for the pace', async () => {
    for (const isPaced of [false, true]) {
      const controller = new AbortController();
      const target = new MemoryTarget(() => undefined, isPaced ? Infinity : 1);
      const pace = isPaced ? new Pace(1, { ...systemClock, now: () => 0 }) : undefined;
      const { ledger, pipeline } = setUp(batches(5), target, {
        interrupted: controller.signal,
        pace,
        sleep: () => new Promise((resolve) => (controller.signal.onabort = () => resolve())),
      });
      const running = run(pipeline);
      await new Promise((resolve) => setImmediate(resolve));
      expect(target.sent).toHaveLength(1);
      controller.abort();
      await running;
      expect(target.sent).toHaveLength(1);
      expect(await ledger.finish()).toMatchObject({ read: 1, pending: 1 });
    }
  });

  it('before the beginning sends nothing', async () => {
    const target = new MemoryTarget();
    const counts = await countsAfter(batches(5), target, { interrupted: AbortSignal.abort() });
    expect([counts, target.sent]).toEqual([none, []]);
  });
});

describe('an outcome that cannot be recorded', () => {
  const large = eventOf({ properties: { x: 'x'.repeat(30_000) } });
  const unwritable = () => {
    const path = join(folderWith({ file: '' }), 'file', 'dead.ndjson');
    return new Ledger({
      deadLetters: new FileWriter(path, 'the dead-letter file'),
      clock: systemClock,
    });
  };

  it('stops the run: nothing new is sent, what waits ends, and the error says where', async () => {
    const target = new MemoryTarget(() => ({ verdict: 'failed' }), 1);
    const items = Array.from({ length: 20 }, () => [large, large]);
    const { source, pipeline } = setUp(items, target, { ledger: unwritable() });
    await expect(run(pipeline)).rejects.toThrow(/dead\.ndjson: the dead-letter file cannot be/);
    expect(target.sent).toHaveLength(3);
    expect(target.interruptions).toBe(1);
    expect(source.isClosed).toBe(true);
  });

  it('stops it also where the events themselves are at fault', async () => {
    const bad = itemOf('x'.repeat(30_000));
    const target = new MemoryTarget();
    const items = [[bad, bad, bad, eventOf()]];
    const { pipeline } = setUp(items, target, { ledger: unwritable() });
    await expect(run(pipeline)).rejects.toThrow(StateError);
    expect(target.sent).toEqual([]);
  });

  it.skipIf(!existsSync('/dev/full'))('stops it where the disk is full', async () => {
    const deadLetters = new FileWriter('/dev/full', 'the dead-letter file');
    const ledger = new Ledger({ deadLetters, clock: systemClock });
    const target = new MemoryTarget(() => ({ verdict: 'failed' }), 4);
    const { pipeline } = setUp([Array.from({ length: 50 }, () => large)], target, { ledger });
    await expect(run(pipeline)).rejects.toThrow(
      '/dev/full: the dead-letter file cannot be written',
    );
    expect(target.sent.length).toBeLessThan(10);
  });
});
