import type { HeldJob } from '../../../store/postgres/jobs.js';
import type { Ending } from '../service-store.js';
import type { StoredEvent } from '../stored.js';

/** What is taken by its job; a parked event is found by its user. */
export type TakenKind = 'events' | 'retries';

/** A block, a batch of retries, or a single parked event that this process has in hand. */
export interface Unit {
  readonly kind: TakenKind | 'parked';
  /** Of the block, batch or event. */
  readonly id: number;
  /** Of a parked event: that of its destination. */
  readonly job: HeldJob;
  /** Events in the stored row, also those of a block that wait no longer. */
  readonly size: number;
  /** Its events that waited when it was taken, by their ids. */
  readonly events: ReadonlyMap<number, StoredEvent>;
  /** Ids of those that are neither ended nor postponed. */
  readonly pending: Set<number>;
  /** Ids of those that are being sent. */
  readonly taken: Set<number>;
  /** Not durable yet, in the order in which they came. */
  ended: Ended[];
  /** When the first of `ended` came, by the monotonic clock. */
  endedAt: number;
  /** Whether a part of it is being stored. */
  isWriting: boolean;
}

/** A parked event that was taken, while the job of its destination is ours. */
export function parkedUnit(event: StoredEvent, job: HeldJob): Unit {
  const { id } = event;
  return {
    ...{ kind: 'parked', id, job, size: 1, events: new Map([[id, event]]) },
    ...{ pending: new Set([id]), taken: new Set([id]), ended: [], endedAt: 0, isWriting: false },
  };
}

/** What is stored of a unit in one transaction. Both are as of the same moment: more may end meanwhile. */
export interface UnitOutcome {
  readonly unit: Unit;
  readonly ended: readonly Ended[];
  /** Ids of its events that go on waiting; when there are none, the unit ends. */
  readonly left: ReadonlySet<number>;
}

/** Moves what has ended out of a unit, to be stored: where it is not, the unit has to be given back. */
export function takeOutcome(unit: Unit): UnitOutcome {
  const { ended } = unit;
  unit.ended = [];
  return { unit, ended, left: new Set(unit.pending) };
}

/** It waits for another event of its user, by the id of that one. */
export interface Parking {
  readonly kind: 'parked';
  readonly behind: number;
}

/** An event whose ending is to be stored. */
export interface Ended {
  readonly event: StoredEvent;
  readonly ending: Ending | Parking;
  /** Of an ordered destination. */
  readonly user?: string;
  readonly onCommitted: () => void;
}

/** The bits of a block with these events still waiting; the first event is that of the lowest bit. */
export function waitingBits(size: number, firstId: number, waiting: ReadonlySet<number>): Buffer {
  const bits = Buffer.alloc(Math.ceil(size / 8));
  for (const id of waiting) {
    const at = id - firstId;
    bits[at >> 3]! |= 1 << (at & 7);
  }
  return bits;
}

/** Whether the event at this place of a block waits. */
export function isWaiting(bits: Uint8Array | null, at: number): boolean {
  return bits === null || (bits[at >> 3]! & (1 << (at & 7))) !== 0;
}
