import type { HeldJob } from '../../../store/postgres/jobs.js';
import type { Ending } from '../service-store.js';
import { memoryOf, type StoredEvent } from '../stored.js';

/** Units that are taken by a job; a parked event is taken by its user. */
export type TakenKind = 'events' | 'retries';

/** A block, a batch of retries, or a single parked event that this process has taken. */
export interface Unit {
  readonly kind: TakenKind | 'parked';
  /** Of the block, batch or event. */
  readonly id: number;
  /** Of a parked event: that of its destination. */
  readonly job: HeldJob;
  /** Events in the stored row, also those of a block that wait no longer. */
  readonly size: number;
  /** Its events that waited when it was taken, by their ids; undefined for those of a block whose text is not needed anymore. */
  readonly events: Map<number, StoredEvent | undefined>;
  /** About what `events` take in memory, in bytes. */
  heldBytes: number;
  /** Ids of those that are neither ended nor postponed. */
  readonly pending: Set<number>;
  /** Those that are being sent, as they were handed out, by their ids. */
  readonly taken: Map<number, StoredEvent>;
  /** Not durable yet, in the order in which they came. */
  ended: Ended[];
  /** When the first of `ended` came, by the monotonic clock. */
  endedAt: number;
  /** Whether a part of it is being stored. */
  isWriting: boolean;
}

type UnitStart = Pick<Unit, 'kind' | 'id' | 'job' | 'size'>;

/** @param events those that wait */
export function unitOf(start: UnitStart, events: readonly StoredEvent[]): Unit {
  return {
    ...start,
    events: new Map(events.map((event) => [event.id, event])),
    heldBytes: events.reduce((sum, event) => sum + memoryOf(event), 0),
    pending: new Set(events.map(({ id }) => id)),
    ...{ taken: new Map(), ended: [], endedAt: 0, isWriting: false },
  };
}

/** A parked event that was taken, while the job of its destination is ours. */
export function parkedUnit(event: StoredEvent, job: HeldJob): Unit {
  const unit = unitOf({ kind: 'parked', id: event.id, job, size: 1 }, [event]);
  unit.taken.set(event.id, event);
  return unit;
}

/**
 * Whether an event that is in both was moved from the other unit to this one. It goes from a block to a batch, perhaps
 * parked in between, and from there to a batch with a higher id.
 */
export function isLater(unit: Unit, other: Unit): boolean {
  if (unit.kind === other.kind) return unit.id > other.id;
  return unit.kind === 'retries' || other.kind === 'events';
}

/** What is stored of a unit in one transaction. Both are as of the same moment: more may end meanwhile. */
export interface UnitOutcome {
  readonly unit: Unit;
  readonly ended: readonly Ended[];
  /** Ids of its events that go on waiting; when there are none, the unit ends. */
  readonly left: ReadonlySet<number>;
}

/** Moves what has ended out of a unit, to be stored. If it cannot be, the unit has to be released. */
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

/** What of an event is needed to store that it was delivered. */
export type Textless = Pick<StoredEvent, 'id' | 'source' | 'stamp'>;

type TextlessEnding = Extract<Ending, { kind: 'delivered' | 'skipped' }>;

interface EndedWith<Event, Kind> {
  readonly event: Event;
  readonly ending: Kind;
  /** Of an ordered destination. */
  readonly user: string | undefined;
  readonly onCommitted: () => void;
}

type TextlessEnded = EndedWith<Textless, TextlessEnding>;

/** An event whose ending is to be stored. */
export type Ended =
  TextlessEnded | EndedWith<StoredEvent, Exclude<Ending, TextlessEnding> | Parking>;

/** Without its text, which may be large, where that is not stored again. */
export function endedOf(
  event: StoredEvent,
  ending: Ending | Parking,
  user: string | undefined,
  onCommitted: () => void,
): Ended {
  if (!isTextlessEnding(ending)) return { event, ending, user, onCommitted };
  const { id, source, stamp } = event;
  return { event: { id, source, stamp }, ending, user, onCommitted };
}

export function isTextless(ended: Ended): ended is TextlessEnded {
  return isTextlessEnding(ended.ending);
}

function isTextlessEnding(ending: Ended['ending']): ending is TextlessEnding {
  return ending.kind === 'delivered' || ending.kind === 'skipped';
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
