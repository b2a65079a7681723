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

/** A lane beside others that hold this share of what may be read, and a store that always has more. */
function scene(held: number) {
  const clock = new VirtualClock();
  const memory = new MemoryBudget();
  memory.loads.all.add(held * memory.loads.all.freeBytes);
  const before = memory.heldBytes;
  const taken: TakenKind[] = [];
  const released: TakenKind[] = [];
  const kindOf = ({ kind }: Unit): TakenKind => kind as TakenKind;
  let next = 1;
  const unit = (kind: TakenKind, eventCount: number): Unit => {
    const id = next;
    const events = Array.from({ length: eventCount }, (): RetryEvent => ({
      ...{ id: next++, source: 'web', receivedAt: 0, queuedAt: 0 },
      stamp: { messageId: 'm', writesMessageId: false },
      event: eventOf(Buffer.from('{"type":"track"}'), 'web'),
      ...{ dueAt: clock.now(), endpointDeliveries: [] },
    }));
    const job = { lost: new AbortController().signal } as HeldJob;
    return unitOf({ kind, id, job, size: eventCount }, events);
  };
  const lane = new PostgresLane({
    clock,
    share: memory.share({ onRoom: () => undefined, onShortage: () => undefined }),
    taker: {
      take: (kind, limit) => {
        taken.push(kind);
        return Promise.resolve(Array.from({ length: limit }, () => unit(kind, 2)));
      },
      release: (units) => {
        released.push(...units.map(kindOf));
        return Promise.resolve();
      },
    },
    writer: {
      write: (outcomes: readonly UnitOutcome[]) =>
        Promise.resolve(new Set(outcomes.map((outcome) => outcome.unit))),
    } as unknown as OutcomeWriter,
    onMore: () => undefined,
    onLost: () => undefined,
    onDefect: (error) => {
      throw error as Error;
    },
    onClosed: () => undefined,
  });
  return { clock, lane, taken, released, hasFreedAll: () => memory.heldBytes === before };
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
