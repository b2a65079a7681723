import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { MemoryBudget } from '../../../../src/serve/forward/memory-budget.js';
import { PostgresLane } from '../../../../src/serve/store/postgres/lane.js';
import type { OutcomeWriter } from '../../../../src/serve/store/postgres/outcome-writer.js';
import {
  unitOf,
  type TakenKind,
  type Unit,
  type UnitOutcome,
} from '../../../../src/serve/store/postgres/unit.js';
import { eventOf, type RetryEvent } from '../../../../src/serve/store/stored.js';
import type { HeldJob } from '../../../../src/store/postgres/jobs.js';
import { VirtualClock } from '../../../helpers/virtual-clock.js';
import { delivered } from './lane-user.js';

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
  const lane = new PostgresLane({
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
    onLost: () => undefined,
    onDefect: (error) => {
      throw error as Error;
    },
    onClosed: () => undefined,
  });
  return { clock, lane, taken, released, ended, hasFreedAll: () => memory.heldBytes === before };
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

it.each(['events', 'retries'] as const)(
  'a unit whose lease is lost is dropped when one of its events comes again as a retry (%s)',
  async (kind) => {
    const lost = new AbortController();
    // Another instance has moved event 2 to another batch, which this lane fetches, too.
    const units = { events: [] as Unit[], retries: [unitWith('retries', [2, 3])] };
    units[kind].unshift(unitWith(kind, [1, 2], lost));
    const { lane, ended } = scene(0, (kindTaken) => units[kindTaken].splice(0, 1));
    // Nothing is in hand yet: these calls start the fetches.
    lane.backlog.take();
    lane.retries.take();
    await nextTurn();
    const taken: number[] = [];
    if (kind === 'retries') {
      lane.poke(0);
      taken.push(lane.retries.take()!.id);
      await nextTurn();
    }
    expect(units).toEqual({ events: [], retries: [] });
    lost.abort();
    for (let event; (event = lane.backlog.take() ?? lane.retries.take());) {
      taken.push(event.id);
      // Event 3 does not end, so the batch stays in hand: a second ending of event 2 would be stored.
      if (event.id === 2) lane.end({ event, ending: delivered, onCommitted: () => undefined });
    }
    await lane.flush();
    expect(taken).toEqual(kind === 'retries' ? [1, 2, 3] : [2, 3]);
    expect(ended).toEqual([2]);
  },
);

it('an event of a lost block that is released does not return to the backlog while its retry is in hand', async () => {
  const lost = new AbortController();
  const units = {
    events: [unitWith('events', [1, 2], lost)],
    retries: [unitWith('retries', [1, 3])],
  };
  const { lane } = scene(0, (kindTaken) => units[kindTaken].splice(0, 1));
  lane.backlog.take();
  await nextTurn();
  const first = lane.backlog.take()!;
  lane.retries.take();
  await nextTurn();
  // This becomes known late.
  lost.abort();
  expect(lane.retries.take()!.id).toBe(1);
  lane.backlog.release(first);
  expect([lane.backlog.take()?.id, lane.retries.take()?.id]).toEqual([undefined, 3]);
});
