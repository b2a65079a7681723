import { expect, it } from 'vitest';
import { StateError } from '../../../src/errors.js';
import type { ReadEvent } from '../../../src/serve/kept/block.js';
import type { ReadBlock, ReadKeptOptions } from '../../../src/serve/kept/kept-events.js';
import {
  doneIn,
  type Progress,
  type ReplayStore,
  type StoredReplay,
} from '../../../src/serve/kept/replay-store.js';
import { Replays } from '../../../src/serve/kept/replays.js';
import { keepsNothing } from '../../../src/serve/kept/settings.js';
import type { Destination } from '../../../src/serve/types.js';
import { eventOf } from '../../../src/serve/store/stored.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';
import { destinationOf } from '../batches.js';
import { logTo, source } from '../serving.js';
import { replayStoreOf } from './replay-store.js';

const clockAt = 1_000_000;

const eventAt = (block: number, at = 0, bytes = 0): ReadEvent => ({
  ...{ id: block, at, source: 'web', receivedAt: clockAt, destinations: ['crm'] },
  event: eventOf(
    Buffer.from(`{"type":"track","event":"E","userId":"u${'u'.repeat(bytes)}"}`),
    'web',
  ),
  stamp: { messageId: `m${block}`, writesMessageId: true },
});

const replay: StoredReplay = {
  ...{ id: 'r1', request: { destination: 'crm', state: 'any' }, state: 'running' },
  ...{ createdAt: clockAt, endedAt: null, position: { done: 0 }, sent: 0, message: null },
};

interface ReplayingOptions {
  /** Called with the number of each block that is read. */
  readonly onRead?: (block: number) => void;
  readonly destination?: Partial<Destination>;
  /** Default: never. */
  readonly isStalled?: () => boolean;
  /** Of each event, about. Default 0. */
  readonly bytes?: number;
  /** Default 3. */
  readonly blocks?: number;
  /** In each block. Default 1. */
  readonly events?: number;
}

/** A replay; the process is busy. */
function replaying(
  more: Partial<ReplayStore>,
  {
    onRead = () => undefined,
    destination = {},
    isStalled = () => false,
    bytes = 0,
    blocks = 3,
    events = 1,
  }: ReplayingOptions = {},
) {
  const clock = new VirtualClock(clockAt);
  const failing: { failure: unknown } = { failure: undefined };
  const added: Progress[] = [];
  const logged: string[] = [];
  let end = (): void => undefined;
  const isOver = new Promise<void>((resolve) => (end = resolve));
  const store = replayStoreOf(replay, {
    add: (progress) => Promise.resolve(void added.push(progress)),
    end: () => {
      end();
      return Promise.resolve();
    },
    ...more,
  });
  async function* read({ after }: ReadKeptOptions = {}): AsyncGenerator<ReadBlock> {
    for (let block = (after?.block ?? 0) + 1; block <= blocks; block++) {
      await Promise.resolve();
      onRead(block);
      const read = Array.from({ length: events }, (_, at) => eventAt(block, at, bytes));
      yield { events: read, retentionMs: 60_000, hasOwnPlaces: true, position: { block } };
    }
  }
  const replays = new Replays({
    store: failing,
    kept: {
      ...{ settings: keepsNothing, configure: () => undefined, read },
      remove: () => Promise.resolve(true),
    },
    ...{ replays: store, clock, log: logTo(logged) },
    ...{ onStored: () => undefined, onChange: () => undefined, utilization: () => 1 },
    isStalled,
    routing: () => ({
      ...{
        sources: [source('web')],
        destinations: [destinationOf('http://127.0.0.1:1/', destination)],
      },
    }),
  });
  replays.start();
  return { clock, added, logged, replays, isOver, failing };
}

it('a replay asks ever less often for room at a destination that takes nothing', async () => {
  const asked: number[] = [];
  let reach = (): void => undefined;
  const isReached = new Promise<void>((resolve) => (reach = resolve));
  const { clock, replays } = replaying({
    hasRoom: () => {
      asked.push(clock.monotonic());
      if (clock.monotonic() >= 120_000) reach();
      return false;
    },
  });
  await clock.runUntil(isReached);
  expect(asked.filter((at) => at < 1_000).length).toBeGreaterThan(10);
  expect(asked.filter((at) => at < 60_000).length).toBeLessThan(150);
  expect(asked.filter((at) => at >= 60_000).length).toBeLessThanOrEqual(61);
  await replays.stop();
});

it('a replay goes on to count where it was when its store was away', async () => {
  const counted: number[] = [];
  const { clock, added, replays, isOver } = replaying(
    {},
    {
      onRead: (block) => {
        counted.push(block);
        if (counted.length === 3) throw new StateError('away');
      },
    },
  );
  await clock.runUntil(isOver);
  // Counted, and then sent.
  expect(counted).toEqual([1, 2, 3, 3, 1, 2, 3]);
  expect(added[0]).toMatchObject({ events: [], position: { total: 3 } });
  expect(added.slice(1).flatMap(({ events }) => events)).toHaveLength(3);
  await replays.stop();
});

it.each([
  ['together', 0, [{ events: 3, position: { after: { block: 3 }, done: 0 } }]],
  [
    'until they are a megabyte',
    600_000,
    [
      { events: 2, position: { after: { block: 2 }, done: 0 } },
      { events: 1, position: { after: { block: 3 }, done: 0 } },
    ],
  ],
])('a replay queues the events of several blocks %s', async (_, bytes, expected) => {
  const { clock, added, replays, isOver } = replaying({}, { bytes });
  await clock.runUntil(isOver);
  const queued = added
    .slice(1)
    .map(({ events, position }) => ({ events: events.length, position }));
  expect(queued).toMatchObject(expected);
  await replays.stop();
});

it.each([
  ['is as fast as it can be', 0, [0, 500]],
  ['takes its time beside live events', 6_000, [6_000, 20_000]],
] as const)('a replay of a busy process %s', async (_, livePerSecond, [least, most]) => {
  // Of 6,000 events.
  const { clock, added, replays, isOver } = replaying({}, { blocks: 60, events: 100 });
  const takeLive = (): void => {
    replays.addLive(livePerSecond / 100);
    clock.after(10, takeLive);
  };
  if (livePerSecond > 0) takeLive();
  await clock.runUntil(isOver);
  expect(added.flatMap(({ events }) => events)).toHaveLength(6_000);
  expect(clock.monotonic()).toBeGreaterThanOrEqual(least);
  expect(clock.monotonic()).toBeLessThan(most);
  await replays.stop();
});

it('a replay keeps its rate where its store is slow', async () => {
  const limited = { ...replay, request: { ...replay.request, perSecond: 100 } };
  const { clock, replays, isOver } = replaying(
    {
      take: () => [limited],
      add: () => new Promise((resolve) => clock.after(50, resolve)),
    },
    { blocks: 30, events: 10 },
  );
  await clock.runUntil(isOver);
  expect(clock.monotonic()).toBeGreaterThan(2_900);
  expect(clock.monotonic()).toBeLessThan(3_200);
  await replays.stop();
});

it('a replay with a rate queues nothing while its destination is stalled, and keeps its rate after that', async () => {
  const queued: { readonly at: number; readonly events: number }[] = [];
  const { clock, replays, isOver } = replaying(
    {
      take: () => [{ ...replay, request: { ...replay.request, perSecond: 100 } }],
      add: ({ events }) =>
        Promise.resolve(void queued.push({ at: clock.monotonic(), events: events.length })),
    },
    {
      ...{ blocks: 30, events: 10 },
      isStalled: () => clock.monotonic() >= 1_000 && clock.monotonic() < 7_000,
    },
  );
  await clock.runUntil(isOver);
  const between = (from: number, until: number): number =>
    queued.reduce((sum, { at, events }) => sum + (at >= from && at < until ? events : 0), 0);
  expect(between(0, 1_000)).toBeGreaterThan(80);
  expect(between(1_000, 7_000)).toBe(0);
  for (let at = 7_000; at < 9_000; at += 100) expect(between(at, at + 1_000)).toBeLessThan(120);
  expect(between(0, Infinity)).toBe(300);
  await replays.stop();
});

it('a replay without a rate does not wait for a destination that is stalled', async () => {
  const { clock, added, replays, isOver } = replaying({}, { isStalled: () => true });
  await clock.runUntil(isOver);
  expect(added.flatMap(({ events }) => events)).toHaveLength(3);
  await replays.stop();
});

it('a replay says how many events were gone before their turn', async () => {
  const ended = { ...replay, state: 'finished', sent: 2, position: { total: 3, done: 0 } } as const;
  const { clock, logged, replays, isOver } = replaying({ list: () => [ended] });
  await clock.runUntil(isOver);
  await expect
    .poll(() => logged)
    .toContain('info replay finished {"replay":"r1","destination":"crm","sent":2,"skipped":1}');
  await replays.stop();
});

it.each<[string, Partial<Destination>]>([
  ['it is switched off', { isEnabled: false, isSwitchedOff: true }],
  [
    'its certificates cannot be used',
    { isEnabled: false, isSwitchedOff: true, isHeldUp: true, refusal: 'no such file' },
  ],
])('a replay says once that %s, and goes on afterwards', async (why, destination) => {
  const now = { ...destination };
  let asked = 0;
  const { clock, added, logged, replays, isOver } = replaying(
    {
      isOurs: () => {
        if (++asked === 20) {
          expect(added.flatMap(({ events }) => events)).toEqual([]);
          Object.assign(now, { isEnabled: true, isSwitchedOff: false, isHeldUp: false });
        }
        return true;
      },
    },
    { destination: now },
  );
  await clock.runUntil(isOver);
  expect(added.slice(1).flatMap(({ events }) => events)).toHaveLength(3);
  expect(logged).toEqual([
    'info replay started {"replay":"r1","destination":"crm","total":3}',
    `warn replay waits for its destination: ${why} {"replay":"r1","destination":"crm"}`,
  ]);
  await replays.stop();
});

it('a replay says once that it has started, also where its store is away again and again', async () => {
  let read = 0;
  const { clock, logged, replays, isOver } = replaying(
    {},
    {
      onRead: (block) => {
        // It is counted, and then away five times.
        if (block === 1 && read > 0 && read < 6) {
          read++;
          throw new StateError('away');
        }
        if (block === 3) read = Math.max(read, 1);
      },
    },
  );
  await clock.runUntil(isOver);
  expect(read).toBe(6);
  expect(logged).toEqual(['info replay started {"replay":"r1","destination":"crm","total":3}']);
  await replays.stop();
});

it.each<[string, (stop: () => void) => Partial<ReplayStore>]>([
  [
    'it asks for room',
    (stop) => ({
      hasRoom: () => {
        stop();
        return true;
      },
    }),
  ],
  [
    'it waits for a store that is away',
    (stop) => ({
      add: ({ events }) => {
        if (events.length === 0) return Promise.resolve();
        stop();
        return Promise.reject(new StateError('away'));
      },
    }),
  ],
])('a replay whose service stops while %s is not finished', async (_, storeFor) => {
  const ended: string[] = [];
  let stop = (): void => undefined;
  let left = (): void => undefined;
  const isLeft = new Promise<void>((resolve) => (left = resolve));
  const { clock, replays, failing } = replaying({
    ...storeFor(() => stop()),
    end: (_id, state) => Promise.resolve(void ended.push(state)),
    release: () => left(),
  });
  stop = () => {
    failing.failure = 'away';
    void replays.stop();
  };
  await clock.runUntil(isLeft);
  expect(ended).toEqual([]);
});

it('a replay that is taken while its service stops is given back', async () => {
  const calls: string[] = [];
  let give: (replays: StoredReplay[]) => void = () => undefined;
  const { replays } = replaying({
    take: () => new Promise((resolve) => (give = resolve)),
    release: (id) => void calls.push(`release ${id}`),
  });
  await new Promise((resolve) => setImmediate(resolve));
  const isStopped = replays.stop().then(() => calls.push('stopped'));
  give([replay]);
  await isStopped;
  expect(calls).toEqual(['release r1', 'stopped']);
});

it.each([
  ['in its own block only', true, [0, 7, 0]],
  ['in each block, where places ascend over all', false, [7, 7, 7]],
] as const)('what is done of a block is behind %s', (_, hasOwnPlaces, expected) => {
  const position = { after: { block: 1 }, done: 7, within: { block: 3 } };
  const done = [2, 3, 4].map((block) =>
    doneIn(
      position,
      { events: [], retentionMs: 1, hasOwnPlaces, position: { block } },
      block === 2,
    ),
  );
  expect(done).toEqual(expected);
});

it('replays that wait do not warn of too many listeners', async () => {
  const twelve = Array.from({ length: 12 }, (_, n) => ({ ...replay, id: `r${n}` }));
  const warnings: Error[] = [];
  const note = (warning: Error): number => warnings.push(warning);
  process.on('warning', note);
  let asked = 0;
  let reach = (): void => undefined;
  const isReached = new Promise<void>((resolve) => (reach = resolve));
  const { clock, replays } = replaying({
    take: () => twelve,
    hasRoom: () => {
      if (++asked === 50) reach();
      return false;
    },
  });
  await clock.runUntil(isReached);
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  expect(warnings).toEqual([]);
  await replays.stop();
});
