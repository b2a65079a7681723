import type { Clock } from '../../../clock.js';
import { Queue } from '../../../collections/queue.js';
import { dueBy } from '../../../delivery/endpoint-state.js';
import type { MemoryShare } from '../../forward/memory-budget.js';
import type { HeldJob } from '../../../store/postgres/jobs.js';
import type { Backlog, EndOptions, Lane, Retries } from '../service-store.js';
import { memoryOf, type RetryEvent, type StoredEvent } from '../stored.js';
import type { OutcomeWriter } from './outcome-writer.js';
import type { Taker } from './taker.js';
import {
  endedOf,
  isTextless,
  parkedUnit,
  takeOutcome,
  type Ended,
  type TakenKind,
  type Unit,
  type UnitOutcome,
} from './unit.js';

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

/** Beyond either of these, events wait in the store alone. */
const maxReady = 512;
const maxReadyBytes = 1024 * 1024;
/** Of each kind: retries must not keep new events waiting. */
const maxUnits = 32;
const retryBatchesAtOnce = 8;
/** When the next events are fetched while these are sent. */
const lowReady = 128;
/** About what a unit takes in memory, until one was seen. */
const firstUnitBytes = 96 * 1024;
/** An ending waits so long for the others of its block. */
const partialAfterMs = 1_000;
/** When to look again for a retry that was not sent, since its URLs were down or paused. */
const returnedMs = 1_000;
const fetchAgainMs = 1_000;
/** The same of retries that were given back, since memory was short; sooner where the store says that some are due. */
const releasedMs = 5_000;
/** When a unit is taken again whose outcome cannot be stored: not at once, since all of it is sent again. */
const afterDefectMs = 60_000;
/** Maximum time between look-ups. */
const lookAgainMs = 60_000;

/**
 * What waits for one destination, in units of pg-boss's jobs: blocks and batches are fetched ahead, handed out event by
 * event, and end as a whole, or in parts when one of their events takes long.
 */
export class PostgresLane implements Lane {
  readonly backlog: Backlog;
  readonly retries: Retries;
  readonly #options: PostgresLaneOptions;
  readonly #units = new Set<Unit>();
  readonly #unitOf = new Map<number, Unit>();
  /** Events without an attempt, in the order of arrival. */
  #ready = new Queue<StoredEvent>();
  #readyBytes = 0;
  /** In the order of their due times. */
  #retries: RetryEvent[] = [];
  #isFetching = { events: false, retries: false };
  /** Whether the store may have more blocks. */
  #mayHaveMore = true;
  /** When the next batch may be due, by the monotonic clock. */
  #fetchRetriesAt = 0;
  /** Moving averages, to know how many to fetch. */
  #eventsPerBlock = 32;
  readonly #unitBytes = { events: firstUnitBytes, retries: firstUnitBytes };
  /** Ids of parked events whose outcome could not be stored a moment ago. */
  readonly #unstorable = new Set<number>();
  #cancelFlush: (() => void) | undefined;
  #isFlushing = false;
  #flushed: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: PostgresLaneOptions) {
    this.#options = options;
    this.backlog = {
      offer: () => undefined,
      take: () => this.#take(),
      takeNewest: () => this.#takeNewest(),
      release: (event) => this.#putBack(event),
      unload: () => void this.#release(),
    };
    this.retries = this.#makeRetries();
  }

  readonly loadedUpTo = 0;

  get isFull(): boolean {
    const isFull = this.#unitsOf('events') >= maxUnits || this.#unitsOf('retries') >= maxUnits;
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
    this.#scheduleFetch(retriesDueInMs);
    this.#options.onMore();
  }

  /** Ids of the blocks that are in hand. */
  get blocks(): number[] {
    return [...this.#units].filter(({ kind }) => kind === 'events').map(({ id }) => id);
  }

  /** An event that was taken by other means; `job` says that it is ours. */
  addTaken(event: StoredEvent, job: HeldJob): void {
    const unit = parkedUnit(event, job);
    this.#hold(unit);
    this.#unitOf.set(event.id, unit);
  }

  /** Whether such an event is not to be taken yet: its outcome could not be stored, and all of it would be sent again. */
  isUnstorable(id: number): boolean {
    return this.#unstorable.has(id);
  }

  /** Such an event was not sent. */
  forgetEvent(id: number): void {
    const unit = this.#unitOf.get(id);
    if (unit?.kind === 'parked') this.#forget(unit);
  }

  /** That these events have ended is stored at once. */
  commitNow(ids: readonly number[]): void {
    for (const id of ids) {
      const unit = this.#unitOf.get(id);
      if (!unit || unit.ended.length === 0) continue;
      unit.endedAt = -Infinity;
      this.#flushIn(0);
    }
  }

  /** Drops everything. Returns what other processes cannot have yet. */
  forgetAll(): Unit[] {
    const units = [...this.#units];
    for (const unit of units) this.#forget(unit);
    this.#mayHaveMore = true;
    return units;
  }

  end({ event, ending, user, onCommitted }: LaneEnd): void {
    const unit = this.#unitOf.get(event.id);
    // It was lost: whoever has it now says how it ends.
    if (!unit?.taken.delete(event.id)) return;
    unit.pending.delete(event.id);
    if (unit.ended.length === 0) unit.endedAt = this.#options.clock.monotonic();
    const ended = endedOf(event, ending, user, onCommitted);
    unit.ended.push(ended);
    if (isTextless(ended)) this.#dropText(unit, event);
    this.#flushIn(unit.pending.size === 0 ? 0 : partialAfterMs);
  }

  /** Makes durable what was ended so far. */
  async flush(): Promise<void> {
    // One after the other: an outcome of a unit that another transaction has ended would be refused.
    this.#flushed = this.#flushed.then(() => this.#flush(true));
    await this.#flushed;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flush();
    this.#cancelFlush?.();
    await this.#options.taker.release(this.forgetAll());
    this.#options.onClosed();
  }

  #take(): StoredEvent | undefined {
    const event = this.#ready.shift();
    if (this.#ready.size < lowReady) this.#fetchEvents();
    if (event) this.#noteTaken(event);
    return event;
  }

  #takeNewest(): StoredEvent | undefined {
    const event = this.#ready.pop();
    if (!event) return this.#take();
    this.#noteTaken(event);
    return event;
  }

  #noteTaken(event: StoredEvent): void {
    this.#unitOf.get(event.id)!.taken.add(event.id);
    this.#readyBytes -= memoryOf(event);
  }

  #putBack(event: StoredEvent): void {
    const unit = this.#unitOf.get(event.id);
    if (!unit?.taken.delete(event.id)) return;
    const all = this.#ready.takeAll();
    const index = all.findIndex(({ id }) => id > event.id);
    all.splice(index === -1 ? all.length : index, 0, event);
    for (const one of all) this.#ready.push(one);
    this.#readyBytes += memoryOf(event);
  }

  /** Gives back what is not begun: other instances may reach the destination, or others need the memory. */
  async #release(): Promise<void> {
    const all = [...this.#units];
    const notBegun = all.filter(({ taken, isWriting }) => taken.size === 0 && !isWriting);
    const idle = notBegun.filter(({ ended }) => ended.length === 0);
    // Once that is stored, they are idle, too.
    if (this.#options.share.loads.isShort && idle.length < notBegun.length) {
      for (const unit of notBegun) if (unit.ended.length > 0) unit.endedAt = -Infinity;
      this.#flushIn(0);
    }
    const units = this.#releasable(idle, all);
    if (units.length === 0) return;
    for (const unit of units) this.#forget(unit);
    this.#mayHaveMore = true;
    if (units.some(({ kind }) => kind === 'retries')) {
      this.#fetchRetriesAt = Infinity;
      this.#scheduleFetch(releasedMs);
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

  #makeRetries(): Retries {
    const nextAt = (): number => this.#nextRetryAt();
    return {
      get nextAt() {
        return nextAt();
      },
      take: () => this.#takeRetry(this.#options.clock.now()),
      takeEarliest: () => {
        const retry = this.#takeRetry(Infinity);
        if (!retry) this.#fetchRetries(true);
        return retry;
      },
      postponed: (_id, delayMs) => this.#scheduleFetch(delayMs),
      release: (id) => this.#returnRetry(id),
      ended: () => undefined,
      // Those of all instances are in the store.
      outages: () => new Map(),
    };
  }

  #nextRetryAt(): number {
    const { clock, share } = this.#options;
    const [first] = this.#retries;
    const held = first ? clock.monotonic() + first.dueAt - clock.now() : Infinity;
    const isBusy =
      this.#isFetching.retries || share.loads.isRefused || this.#unitsOf('retries') >= maxUnits;
    return Math.min(held, isBusy ? Infinity : this.#fetchRetriesAt);
  }

  /** @param by a due time */
  #takeRetry(by: number): RetryEvent | undefined {
    const { clock } = this.#options;
    if (this.#fetchRetriesAt <= clock.monotonic()) this.#fetchRetries(false);
    const [first] = this.#retries;
    if (!first || first.dueAt > by) return undefined;
    this.#retries.shift();
    this.#unitOf.get(first.id)!.taken.add(first.id);
    if (by === Infinity) return first;
    return { ...first, endpointDeliveries: dueBy(clock.now(), first.endpointDeliveries) };
  }

  #returnRetry(id: number): void {
    const unit = this.#unitOf.get(id);
    if (!unit?.taken.delete(id)) return;
    const retry = unit.events.get(id) as RetryEvent;
    this.#insertRetry({ ...retry, dueAt: this.#options.clock.now() + returnedMs });
  }

  #insertRetry(retry: RetryEvent): void {
    const index = this.#retries.findIndex(({ dueAt }) => dueAt > retry.dueAt);
    this.#retries.splice(index === -1 ? this.#retries.length : index, 0, retry);
  }

  #scheduleFetch(delayMs: number): void {
    if (delayMs === Infinity) return;
    const wait = Math.min(Math.max(delayMs, 0), lookAgainMs);
    const at = this.#options.clock.monotonic() + wait;
    this.#fetchRetriesAt = Math.min(this.#fetchRetriesAt, at);
  }

  #fetchEvents(): void {
    const { share } = this.#options;
    const isFull = this.#ready.size >= maxReady || this.#readyBytes >= maxReadyBytes;
    const units = this.#unitsOf('events');
    if (!this.#mayHaveMore || isFull || units >= maxUnits) return;
    // A silent destination, or one that has used its share, gets one block at a time.
    const isShort = !share.isResponsive || share.loads.roomBytes <= 0;
    if (isShort && this.#ready.size > 0) return;
    const limit = isShort ? 1 : Math.ceil((maxReady - this.#ready.size) / this.#eventsPerBlock);
    this.#fetch('events', Math.min(limit, maxUnits - units), false);
  }

  #unitsOf(kind: TakenKind): number {
    let count = 0;
    for (const unit of this.#units) if (unit.kind === kind) count++;
    return count;
  }

  #fetchRetries(early: boolean): void {
    const room = maxUnits - this.#unitsOf('retries');
    const wanted = early || !this.#options.share.isResponsive ? 1 : retryBatchesAtOnce;
    if (room > 0) this.#fetch('retries', Math.min(wanted, room), early);
  }

  /** Takes as many as there is room for, at least one. Without room, the destination is told when there is. */
  #fetch(kind: TakenKind, wanted: number, early: boolean): void {
    const { loads } = this.#options.share;
    if (this.#isClosed || this.#isFetching[kind]) return;
    const unitBytes = this.#unitBytes[kind];
    const limit = Math.min(wanted, Math.max(1, Math.floor(loads.roomBytes / unitBytes)));
    const unreserve = loads.reserve(limit * unitBytes, this.#unitsOf(kind) === 0);
    if (!unreserve) return;
    this.#isFetching[kind] = true;
    // What comes while the store is asked may not be in its answer.
    if (kind === 'events') this.#mayHaveMore = false;
    else this.#fetchRetriesAt = Infinity;
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
      else this.#scheduleFetch(fetchAgainMs);
      this.#options.onDefect(error);
      return [];
    }
  }

  #noteMore(kind: TakenKind): void {
    if (kind === 'events') this.#mayHaveMore = true;
    else this.#fetchRetriesAt = 0;
  }

  /** It may have been closed while the store was asked. */
  async #addAll(units: readonly Unit[]): Promise<void> {
    if (this.#isClosed) {
      await this.#options.taker.release(units);
      return;
    }
    for (const unit of units) this.#add(unit);
    if (units.length > 0) this.#options.onMore();
  }

  #add(unit: Unit): void {
    if (unit.job.lost.aborted) {
      this.#options.onLost(false);
      return;
    }
    this.#hold(unit);
    unit.job.lost.addEventListener('abort', () => this.#lose(unit), { once: true });
    if (unit.kind === 'events')
      this.#eventsPerBlock = (this.#eventsPerBlock * 3 + unit.events.size) / 4;
    if (unit.kind !== 'parked')
      this.#unitBytes[unit.kind] = (this.#unitBytes[unit.kind] * 3 + unit.heldBytes) / 4;
    for (const event of unit.events.values()) {
      this.#unitOf.set(event!.id, unit);
      if (unit.kind === 'retries') this.#insertRetry(event as RetryEvent);
      else {
        this.#ready.push(event!);
        this.#readyBytes += memoryOf(event!);
      }
    }
    // All of it had ended when its holder was lost.
    if (unit.pending.size === 0) this.#flushIn(0);
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
    this.#options.share.loads.add(-unit.heldBytes);
    for (const id of unit.events.keys()) {
      if (this.#unitOf.get(id) === unit) this.#unitOf.delete(id);
    }
    if (unit.kind === 'retries')
      this.#retries = this.#retries.filter(({ id }) => this.#unitOf.has(id));
    else if (unit.kind === 'events' && unit.pending.size > unit.taken.size) {
      const kept = this.#ready.takeAll().filter(({ id }) => this.#unitOf.has(id));
      this.#readyBytes = 0;
      for (const event of kept) {
        this.#ready.push(event);
        this.#readyBytes += memoryOf(event);
      }
    }
  }

  #hold(unit: Unit): void {
    this.#units.add(unit);
    this.#options.share.loads.add(unit.heldBytes);
  }

  #dropText(unit: Unit, event: StoredEvent): void {
    // What is left of a batch is stored again, also what ends while that is written.
    if (unit.kind === 'retries') return;
    const bytes = memoryOf(event);
    unit.events.set(event.id, undefined);
    unit.heldBytes -= bytes;
    // What was lost is counted no longer.
    if (this.#units.has(unit)) this.#options.share.loads.add(-bytes);
  }

  #flushIn(delayMs: number): void {
    if (this.#isFlushing) return;
    if (delayMs === 0) {
      this.#cancelFlush?.();
      this.#cancelFlush = undefined;
      this.#isFlushing = true;
      // What ends in this turn of the event loop is written together.
      setImmediate(() => {
        this.#flushed = this.#flushed.then(() => this.#flush(false));
      });
      return;
    }
    this.#cancelFlush ??= this.#options.clock.after(
      delayMs,
      () => {
        this.#cancelFlush = undefined;
        this.#flushIn(0);
      },
      { keepsAlive: false },
    );
  }

  async #flush(isAll: boolean): Promise<void> {
    this.#isFlushing = true;
    const before = this.#options.clock.monotonic() - (isAll ? 0 : partialAfterMs);
    const units = [...this.#units].filter(
      ({ pending, ended, endedAt }) =>
        pending.size === 0 || (ended.length > 0 && endedAt <= before),
    );
    if (units.length > 0) await this.#write(units);
    this.#isFlushing = false;
    const left = [...this.#units].filter(
      ({ ended, pending }) => ended.length > 0 || pending.size === 0,
    );
    const isDue = ({ pending, endedAt }: Unit): boolean =>
      pending.size === 0 || endedAt === -Infinity;
    if (left.some(isDue)) this.#flushIn(0);
    else if (left.length > 0) this.#flushIn(partialAfterMs);
  }

  async #write(units: readonly Unit[]): Promise<void> {
    const outcomes = units.map(takeOutcome);
    for (const unit of units) unit.isWriting = true;
    const stored = await this.#stored(outcomes);
    /** Perhaps ours nevertheless: the server may have been away for a moment. */
    const refused: Unit[] = [];
    for (const { unit, ended, left } of outcomes) {
      unit.isWriting = false;
      if (stored.get(unit) === true) {
        if (left.size === 0) this.#forget(unit);
        for (const one of ended) {
          if (!isTextless(one)) this.#dropText(unit, one.event);
          one.onCommitted();
        }
        continue;
      }
      this.#lose(unit);
      if (!stored.has(unit)) refused.push(unit);
    }
    await this.#options.taker.release(refused);
    // Room for others.
    if (!this.#isClosed) this.#options.onMore();
  }

  /** True for what is stored; false for what cannot be, which must not keep the others from it; none for the rest. */
  async #stored(outcomes: readonly UnitOutcome[]): Promise<Map<Unit, boolean>> {
    const { writer, onDefect } = this.#options;
    try {
      return new Map([...(await writer.write(outcomes))].map((unit) => [unit, true]));
    } catch (error) {
      if (outcomes.length === 1) {
        onDefect(error);
        this.#releaseLater(outcomes[0]!.unit);
        return new Map([[outcomes[0]!.unit, false]]);
      }
      const stored = new Map<Unit, boolean>();
      for (const outcome of outcomes) {
        for (const [unit, isStored] of await this.#stored([outcome])) stored.set(unit, isStored);
      }
      return stored;
    }
  }

  #releaseLater(unit: Unit): void {
    const { clock, taker } = this.#options;
    // A parked event has no job of its own that would keep it from being taken meanwhile.
    if (unit.kind === 'parked') this.#unstorable.add(unit.id);
    const release = (): void => {
      if (unit.kind === 'parked') this.#unstorable.delete(unit.id);
      else void taker.release([unit]);
    };
    clock.after(afterDefectMs, release, { keepsAlive: false });
  }
}
