import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MemoryBudget } from '../../../../src/serve/forward/memory-budget.js';
import { PostgresLane } from '../../../../src/serve/store/postgres/lane.js';
import type { OutcomeWriter } from '../../../../src/serve/store/postgres/outcome-writer.js';
import {
  unitOf,
  type TakenKind,
  type Unit,
  type UnitOutcome,
} from '../../../../src/serve/store/postgres/unit.js';
import type { Ending } from '../../../../src/serve/store/service-store.js';
import { eventOf, type RetryEvent, type StoredEvent } from '../../../../src/serve/store/stored.js';
import type { HeldJob } from '../../../../src/store/postgres/jobs.js';
import { VirtualClock } from '../../../helpers/virtual-clock.js';
import { delivered, failed, postponed } from './lane-user.js';

/**
 * @param held the share of what may be read that other lanes hold
 * @param take the units of each fetch; default: as many new ones as asked for
 */
function scene(held: number, take?: (kind: TakenKind) => Unit[]) {
  const clock = new VirtualClock();
  const memory = new MemoryBudget();
  memory.loads.all.add(held * memory.loads.all.freeBytes);
  const before = memory.heldBytes;
  const taken: TakenKind[] = [];
  const released: TakenKind[] = [];
  const kindOf = ({ kind }: Unit): TakenKind => kind as TakenKind;
  let next = 1;
  const ended: number[] = [];
  const lost: { readonly wasSending: boolean; readonly blocks: readonly number[] }[] = [];
  const lane: PostgresLane = new PostgresLane({
    clock,
    share: memory.share({ onRoom: () => undefined, onShortage: () => undefined }),
    taker: {
      take: (kind, limit) => {
        taken.push(kind);
        const more = () => Array.from({ length: limit }, () => unitWith(kind, [next++, next++]));
        return Promise.resolve(take ? take(kind) : more());
      },
      release: (units) => {
        released.push(...units.map(kindOf));
        return Promise.resolve();
      },
    },
    writer: {
      write: (outcomes: readonly UnitOutcome[]) => {
        ended.push(...outcomes.flatMap((outcome) => outcome.ended.map(({ event }) => event.id)));
        return Promise.resolve(new Set(outcomes.map((outcome) => outcome.unit)));
      },
    } as unknown as OutcomeWriter,
    onMore: () => undefined,
    onLost: (wasSending) => lost.push({ wasSending, blocks: lane.blocks }),
    onDefect: (error) => {
      throw error as Error;
    },
    onClosed: () => undefined,
  });
  const hasFreedAll = (): boolean => memory.heldBytes === before;
  return { clock, lane, taken, released, ended, lost, hasFreedAll };
}

/** A block or a batch with events of these ids, held until `lost` aborts. */
function unitWith(kind: TakenKind, ids: readonly number[], lost = new AbortController()): Unit {
  const events = ids.map((id): RetryEvent => ({
    ...{ id, source: 'web', receivedAt: 0, queuedAt: 0 },
    stamp: { messageId: 'm', writesMessageId: false },
    event: eventOf(Buffer.from('{"type":"track"}'), 'web'),
    ...{ dueAt: 0, endpointDeliveries: [] },
  }));
  const job = { lost: lost.signal } as HeldJob;
  return unitOf({ kind, id: ids[0]!, job, size: ids.length }, events);
}

/** Ends the first event of the first block. */
async function endFirst(lane: PostgresLane): Promise<void> {
  lane.backlog.take();
  await nextTurn();
  const event = lane.backlog.take()!;
  lane.end({ event, ending: delivered, onCommitted: () => undefined });
}

it('a destination that does not respond may have a block and a batch of retries where memory is short', async () => {
  const { lane, taken } = scene(0.9);
  lane.backlog.take();
  await nextTurn();
  lane.backlog.take();
  lane.retries.takeEarliest();
  await nextTurn();
  expect(taken).toEqual(['events', 'retries']);
  expect(lane.retries.takeEarliest()?.id).toBe(3);
});

it('retries that were given back, since memory is short, are not taken again at once', async () => {
  const { clock, lane, taken, released, hasFreedAll } = scene(0.9);
  lane.retries.take();
  await nextTurn();
  lane.backlog.unload();
  expect([taken, released, hasFreedAll()]).toEqual([['retries'], ['retries'], true]);
  lane.retries.take();
  expect(taken).toHaveLength(1);
  expect(lane.retries.nextAt).toBe(clock.monotonic() + 5_000);
  clock.advance(5_000);
  lane.retries.take();
  expect(taken).toHaveLength(2);
});

it('a block that was begun is stored in part and given back where memory is short', async () => {
  const { lane, released, hasFreedAll } = scene(0.9);
  await endFirst(lane);
  lane.backlog.unload();
  expect(released).toEqual([]);
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  lane.backlog.unload();
  expect([released, hasFreedAll()]).toEqual([['events'], true]);
});

it('where there is room, a block that was begun and retries are not given back', async () => {
  const { lane, released } = scene(0);
  lane.retries.take();
  await endFirst(lane);
  lane.backlog.unload();
  expect(released).toEqual([]);
});

describe('an event that another instance has moved to a later unit, which this lane fetches, too,', () => {
  /** A lane that fetches these units, one list each time. */
  function fetching(units: Partial<Record<TakenKind, Unit[][]>>) {
    const opened = scene(0, (kind) => units[kind]?.shift() ?? []);
    const { lane } = opened;
    const fetch = async (kind: TakenKind): Promise<void> => {
      lane.poke(0);
      // Nothing of this kind waits in memory: the call only starts the fetch.
      expect((kind === 'events' ? lane.backlog : lane.retries).take()).toBeUndefined();
      await nextTurn();
    };
    const takeAll = (): StoredEvent[] => {
      const all: StoredEvent[] = [];
      for (let event; (event = lane.backlog.take() ?? lane.retries.take());) all.push(event);
      return all;
    };
    const end = async (event: StoredEvent, ending: Ending = delivered): Promise<void> => {
      lane.end({ event, ending, onCommitted: () => undefined });
      await lane.flush();
    };
    return { ...opened, fetch, takeAll, end };
  }

  const block = (): Unit => unitWith('events', [1, 9]);
  const batch = (): Unit => unitWith('retries', [2, 9]);
  const laterBatch = (): Unit => unitWith('retries', [3, 9]);
  const idsOf = (events: readonly StoredEvent[]): number[] => events.map(({ id }) => id);

  it('is handed out once, by the later unit, and the older one is given back', async () => {
    const { lane, fetch, takeAll, end, ended, lost, released } = fetching({
      events: [[block()]],
      retries: [[batch()]],
    });
    await fetch('events');
    await fetch('retries');
    const taken = takeAll();
    expect(idsOf(taken)).toEqual([2, 9]);
    await end(taken[1]!);
    expect(lane.backlog.take() ?? lane.retries.take()).toBeUndefined();
    expect({ ended, released }).toEqual({ ended: [9], released: ['events'] });
    expect(lost).toEqual([{ wasSending: false, blocks: [] }]);
  });

  it.each([
    ['the older one first', [batch(), laterBatch()]],
    ['the later one first', [laterBatch(), batch()]],
  ])('is handed out once where both are fetched at once, %s', async (_, units) => {
    const { fetch, takeAll, released } = fetching({ retries: [units] });
    await fetch('retries');
    expect(idsOf(takeAll())).toEqual([3, 9]);
    expect(released).toEqual(['retries']);
  });

  it('is not handed out by the older unit where that arrives last', async () => {
    const { fetch, takeAll, lost, released } = fetching({
      events: [[block()]],
      retries: [[batch()]],
    });
    await fetch('retries');
    await fetch('events');
    expect(idsOf(takeAll())).toEqual([2, 9]);
    expect(released).toEqual(['events']);
    expect(lost).toEqual([{ wasSending: false, blocks: [] }]);
  });

  it.each([
    ['block', { events: [[block()]], retries: [[batch()]] }],
    ['batch', { retries: [[batch()], [laterBatch()]] }],
  ])(
    'ends as its later copy does, and is not sent again, when a %s was sending it',
    async (_, units) => {
      const { lane, fetch, takeAll, end, ended, lost } = fetching(units);
      await fetch('events' in units ? 'events' : 'retries');
      const before = takeAll().at(-1)!;
      await fetch('retries');
      const after = takeAll().at(-1)!;
      expect([before.id, after.id, lost]).toEqual([9, 9, [{ wasSending: true, blocks: [] }]]);
      await end(before, failed);
      if ('events' in units) lane.backlog.release(before);
      else lane.retries.release(before);
      expect([takeAll(), ended]).toEqual([[], []]);
      await end(after);
      expect(ended).toEqual([9]);
    },
  );

  it('leaves the unit alone that it has ended in', async () => {
    const { clock, lane, fetch, takeAll, end, lost, released } = fetching({
      events: [[block()]],
      retries: [[batch()]],
    });
    await fetch('events');
    const [, event] = [lane.backlog.take(), lane.backlog.take()!];
    await end(event, postponed(clock.now()));
    await fetch('retries');
    expect(idsOf(takeAll())).toEqual([2, 9]);
    expect({ lost, released }).toEqual({ lost: [], released: [] });
  });
});

it('a unit that is lost when it arrives is not handed out, and the loss is told when the others are in hand', async () => {
  const gone = new AbortController();
  gone.abort();
  const units = [unitWith('events', [1], gone), unitWith('events', [2])];
  const { lane, lost } = scene(0, () => units.splice(0));
  lane.backlog.take();
  await nextTurn();
  expect(lost).toEqual([{ wasSending: false, blocks: [2] }]);
  expect([lane.backlog.take()?.id, lane.backlog.take()]).toEqual([2, undefined]);
});
