import type { Clock } from '../../../clock.js';
import type { MemoryShare } from '../../forward/memory-budget.js';
import type { HeldJob } from '../../../store/postgres/jobs.js';
import type { Backlog, EndOptions, Lane } from '../service-store.js';
import type { RetryEvent, StoredEvent } from '../stored.js';
import { HeldUnits } from './held-units.js';
import { LaneRetries } from './lane-retries.js';
import { OutcomeFlusher } from './outcome-flusher.js';
import type { OutcomeWriter } from './outcome-writer.js';
import { ReadyEvents } from './ready-events.js';
import type { Taker } from './taker.js';
import { isLater, parkedUnit, type Ended, type TakenKind, type Unit } from './unit.js';

export interface PostgresLaneOptions {
  readonly clock: Clock;
  readonly share: MemoryShare;
  readonly taker: Pick<Taker, 'take' | 'release'>;
  readonly writer: OutcomeWriter;
  /** Something can be taken. */
  readonly onMore: () => void;
  /** A unit may be in the hands of another process: what of it is not sent yet must not be. */
  readonly onLost: (wasSending: boolean) => void;
  /** Which of the units that were not begun may be given back; default: all. */
  readonly releasable?: (idle: readonly Unit[], all: readonly Unit[]) => readonly Unit[];
  /** Units could not be taken, or the outcome of one not be stored; they are taken again. */
  readonly onDefect: (error: unknown) => void;
  readonly onClosed: () => void;
}

type LaneEnd = Omit<EndOptions, 'ending'> & { readonly ending: Ended['ending'] };

/** Of each kind: retries must not keep new events waiting. */
const maxUnits = 32;
const retryBatchesAtOnce = 8;
/** When the next events are fetched while these are sent. */
const lowReady = 128;
/** About what a unit takes in memory, until one was seen. */
const firstUnitBytes = 96 * 1024;
/** When to fetch again after an error. */
const fetchAgainMs = 1_000;
/** When to fetch again retries that were given back, since memory was short; sooner where the store says that some are due. */
const releasedMs = 5_000;

/**
 * What waits for one destination, in units of pg-boss's jobs: blocks and batches are fetched ahead, handed out event by
 * event, and end as a whole, or in parts when one of their events takes long.
 */
export class PostgresLane implements Lane {
  readonly backlog: Backlog;
  readonly retries: LaneRetries;
  readonly #options: PostgresLaneOptions;
  readonly #units: HeldUnits;
  readonly #ready = new ReadyEvents();
  readonly #outcomes: OutcomeFlusher;
  #isFetching = { events: false, retries: false };
  /** Whether the store may have more blocks. */
  #mayHaveMore = true;
  /** Moving averages, to know how many to fetch. */
  #eventsPerBlock = 32;
  readonly #unitBytes = { events: firstUnitBytes, retries: firstUnitBytes };
  #isClosed = false;

  constructor(options: PostgresLaneOptions) {
    const { clock, share, writer, taker, onMore, onDefect } = options;
    this.#options = options;
    this.#units = new HeldUnits(share.loads);
    this.#outcomes = new OutcomeFlusher({
      ...{ clock, units: this.#units, writer, taker, onDefect },
      onUnitEnded: (unit) => this.#forget(unit),
      onUnitLost: (unit) => this.#lose(unit),
      onWritten: () => {
        if (!this.#isClosed) onMore();
      },
    });
    this.retries = new LaneRetries({
      ...{ clock, units: this.#units },
      canFetch: () =>
        !this.#isFetching.retries && !share.loads.isRefused && this.#roomFor('retries') > 0,
      fetch: (early) => this.#fetchRetries(early),
    });
    this.backlog = {
      offer: () => undefined,
      take: () => this.#take(),
      takeNewest: () => this.#takeNewest(),
      release: (event) => this.#putBack(event),
      unload: () => void this.#release(),
    };
  }

  readonly loadedUpTo = 0;

  get isFull(): boolean {
    const isFull = this.#roomFor('events') <= 0 || this.#roomFor('retries') <= 0;
    return isFull || this.#options.share.loads.isRefused;
  }

  /** To read it again would be a round trip to the server. */
  unloadable(): undefined {
    return undefined;
  }

  /** Events, or retries that are due by then, may have come. */
  poke(retriesDueInMs = Infinity): void {
    if (this.#isClosed) return;
    this.#mayHaveMore = true;
    this.retries.fetchIn(retriesDueInMs);
    this.#options.onMore();
  }

  /** Ids of the blocks that are in hand. */
  get blocks(): number[] {
    return this.#units.all.filter(({ kind }) => kind === 'events').map(({ id }) => id);
  }

  /** Whether an event is in hand that has not ended here. */
  isPending(id: number): boolean {
    return this.#units.unitOf(id)?.pending.has(id) ?? false;
  }

  /** An event that was taken by other means; `job` says that it is ours. */
  addTaken(event: StoredEvent, job: HeldJob): void {
    this.#units.add(parkedUnit(event, job));
  }

  /** Whether such an event is not to be taken yet: its outcome could not be stored, and all of it would be sent again. */
  isUnstorable(id: number): boolean {
    return this.#outcomes.isUnstorable(id);
  }

  /** Such an event was not sent. */
  forgetEvent(id: number): void {
    const unit = this.#units.unitOf(id);
    if (unit?.kind === 'parked') this.#forget(unit);
  }

  /** That these events have ended is stored at once. */
  commitNow(ids: readonly number[]): void {
    this.#outcomes.flushSoon(ids.flatMap((id) => this.#units.unitOf(id) ?? []));
  }

  /** Drops everything. Returns what other processes cannot have yet. */
  forgetAll(): Unit[] {
    const units = this.#units.all;
    for (const unit of units) this.#forget(unit);
    this.#mayHaveMore = true;
    return units;
  }

  end({ event, ending, user, onCommitted }: LaneEnd): void {
    const unit = this.#units.takeBack(event);
    // Where it was lost, whoever has it now says how it ends.
    if (unit) this.#outcomes.end(unit, event, ending, user, onCommitted);
  }

  /** Makes durable what was ended so far. */
  flush(): Promise<void> {
    return this.#outcomes.flush();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#outcomes.close();
    await this.#options.taker.release(this.forgetAll());
    this.#options.onClosed();
  }

  #take(): StoredEvent | undefined {
    const event = this.#ready.takeOldest();
    if (this.#ready.size < lowReady) this.#fetchEvents();
    return event && this.#units.handOut(event);
  }

  #takeNewest(): StoredEvent | undefined {
    const event = this.#ready.takeNewest();
    return event ? this.#units.handOut(event) : this.#take();
  }

  #putBack(event: StoredEvent): void {
    if (this.#units.takeBack(event)) this.#ready.putBack(event);
  }

  /** Gives back what is not begun: other instances may reach the destination, or others need the memory. */
  async #release(): Promise<void> {
    const all = this.#units.all;
    const notBegun = all.filter(({ taken, isWriting }) => taken.size === 0 && !isWriting);
    const idle = notBegun.filter(({ ended }) => ended.length === 0);
    // Once what has ended is stored, the rest is idle, too.
    if (this.#options.share.loads.isShort) this.#outcomes.flushSoon(notBegun);
    const units = this.#releasable(idle, all);
    if (units.length === 0) return;
    for (const unit of units) this.#forget(unit);
    this.#mayHaveMore = true;
    if (units.some(({ kind }) => kind === 'retries')) {
      this.retries.stopFetching();
      this.retries.fetchIn(releasedMs);
    }
    await this.#options.taker.release(units);
  }

  #releasable(idle: readonly Unit[], all: readonly Unit[]): readonly Unit[] {
    const { releasable, share } = this.#options;
    const blocks = idle.filter(({ kind }) => kind === 'events');
    if (releasable) return releasable(blocks, all);
    // While there is room, an outage is probed with the retries that are in hand.
    return share.loads.isShort ? idle : blocks;
  }

  #fetchEvents(): void {
    const { share } = this.#options;
    const { room } = this.#ready;
    const unitRoom = this.#roomFor('events');
    if (!this.#mayHaveMore || room === 0 || unitRoom <= 0) return;
    // A silent destination, or one that has used its share, gets one block at a time.
    const isShort = !share.isResponsive || share.loads.roomBytes <= 0;
    if (isShort && this.#ready.size > 0) return;
    const limit = isShort ? 1 : Math.ceil(room / this.#eventsPerBlock);
    this.#fetch('events', Math.min(limit, unitRoom), false);
  }

  /** For how many more units. */
  #roomFor(kind: TakenKind): number {
    return maxUnits - this.#units.count(kind);
  }

  #fetchRetries(early: boolean): void {
    const room = this.#roomFor('retries');
    const wanted = early || !this.#options.share.isResponsive ? 1 : retryBatchesAtOnce;
    if (room > 0) this.#fetch('retries', Math.min(wanted, room), early);
  }

  /** Takes as many as there is room for, at least one. Without room, the destination is told when there is. */
  #fetch(kind: TakenKind, wanted: number, early: boolean): void {
    const { loads } = this.#options.share;
    if (this.#isClosed || this.#isFetching[kind]) return;
    const unitBytes = this.#unitBytes[kind];
    const limit = Math.min(wanted, Math.max(1, Math.floor(loads.roomBytes / unitBytes)));
    const unreserve = loads.reserve(limit * unitBytes, this.#units.count(kind) === 0);
    if (!unreserve) return;
    this.#isFetching[kind] = true;
    // What comes while the store is asked may not be in its answer.
    if (kind === 'events') this.#mayHaveMore = false;
    else this.retries.stopFetching();
    void this.#takeUnits(kind, limit, early).then(async (units) => {
      this.#isFetching[kind] = false;
      unreserve();
      await this.#addAll(units);
    });
  }

  async #takeUnits(kind: TakenKind, limit: number, early: boolean): Promise<Unit[]> {
    try {
      const units = await this.#options.taker.take(kind, limit, early);
      if (units.length === limit) this.#noteMore(kind);
      return units;
    } catch (error) {
      if (kind === 'events') this.#mayHaveMore = true;
      else this.retries.fetchIn(fetchAgainMs);
      this.#options.onDefect(error);
      return [];
    }
  }

  #noteMore(kind: TakenKind): void {
    if (kind === 'events') this.#mayHaveMore = true;
    else this.retries.fetchIn(0);
  }

  /** It may have been closed while the store was asked. */
  async #addAll(units: readonly Unit[]): Promise<void> {
    if (this.#isClosed) {
      await this.#options.taker.release(units);
      return;
    }
    const held = units.filter(({ job }) => !job.lost.aborted);
    // In the store an event is in one unit. Where it is in two in hand, another process has moved it, which has the lease
    // of the older one: both copies would be sent and counted.
    const stale: Unit[] = [];
    const dropped: Unit[] = [];
    for (const unit of held) {
      const others = this.#units.overlapping(unit);
      if (others.some((other) => isLater(other, unit))) {
        stale.push(unit);
        continue;
      }
      for (const other of others) this.#forget(other);
      dropped.push(...others);
      this.#add(unit);
    }
    const { taker, onMore, onLost } = this.#options;
    // When all are in hand: an ordered lane gives all of them back.
    if (dropped.length + stale.length > 0 || held.length < units.length)
      onLost(dropped.some(({ taken }) => taken.size > 0));
    // What is lost may be there again; a stale unit would be fetched at once, and be stale again.
    if (dropped.length > 0 || held.length < units.length) this.#mayHaveMore = true;
    if (units.length > 0) onMore();
    await taker.release([...stale, ...dropped]);
  }

  #add(unit: Unit): void {
    this.#units.add(unit);
    unit.job.lost.addEventListener('abort', () => this.#lose(unit), { once: true });
    if (unit.kind === 'events')
      this.#eventsPerBlock = (this.#eventsPerBlock * 3 + unit.events.size) / 4;
    if (unit.kind !== 'parked')
      this.#unitBytes[unit.kind] = (this.#unitBytes[unit.kind] * 3 + unit.heldBytes) / 4;
    for (const event of unit.events.values()) {
      if (unit.kind === 'retries') this.retries.add(event as RetryEvent);
      else this.#ready.push(event!);
    }
    this.#outcomes.flushEnded(unit);
  }

  #lose(unit: Unit): void {
    if (!this.#units.has(unit)) return;
    const wasSending = unit.taken.size > 0;
    this.#forget(unit);
    this.#mayHaveMore = true;
    this.#options.onLost(wasSending);
  }

  /** Removes what is left of it from memory. */
  #forget(unit: Unit): void {
    if (!this.#units.delete(unit)) return;
    const isHeld = ({ id }: StoredEvent): boolean => this.#units.unitOf(id) !== undefined;
    if (unit.kind === 'retries') this.retries.keep(isHeld);
    else if (unit.kind === 'events' && unit.pending.size > unit.taken.size)
      this.#ready.keep(isHeld);
  }
}
