import type { Clock } from '../../../clock.js';
import type { StoredEvent } from '../stored.js';
import type { HeldUnits } from './held-units.js';
import type { OutcomeWriter } from './outcome-writer.js';
import type { Taker } from './taker.js';
import {
  endedOf,
  isTextless,
  takeOutcome,
  type Ended,
  type Unit,
  type UnitOutcome,
} from './unit.js';

export interface OutcomeFlusherOptions {
  readonly clock: Clock;
  readonly units: HeldUnits;
  readonly writer: OutcomeWriter;
  readonly taker: Pick<Taker, 'release'>;
  /** It has ended durably. */
  readonly onUnitEnded: (unit: Unit) => void;
  /** Its outcome was not stored: another process may have it. */
  readonly onUnitLost: (unit: Unit) => void;
  /** There may be room for more units. */
  readonly onWritten: () => void;
  /** The outcome of a unit cannot be stored; it is taken again. */
  readonly onDefect: (error: unknown) => void;
}

/** An ending waits so long for the others of its block. */
const partialAfterMs = 1_000;
/** When a unit is taken again whose outcome cannot be stored: not at once, since all of it is sent again. */
const afterDefectMs = 60_000;

/** Stores how the events of a lane's units end: a unit as a whole, or in parts when one of its events takes long. */
export class OutcomeFlusher {
  readonly #options: OutcomeFlusherOptions;
  /** Ids of parked events whose outcome could not be stored a moment ago. */
  readonly #unstorable = new Set<number>();
  #cancelFlush: (() => void) | undefined;
  #isFlushing = false;
  #flushed: Promise<void> = Promise.resolve();

  constructor(options: OutcomeFlusherOptions) {
    this.#options = options;
  }

  /** Whether such an event is not to be taken yet: its outcome could not be stored, and all of it would be sent again. */
  isUnstorable(id: number): boolean {
    return this.#unstorable.has(id);
  }

  end(
    unit: Unit,
    event: StoredEvent,
    ending: Ended['ending'],
    user: string | undefined,
    onCommitted: () => void,
  ): void {
    const { clock, units } = this.#options;
    unit.pending.delete(event.id);
    if (unit.ended.length === 0) unit.endedAt = clock.monotonic();
    const ended = endedOf(event, ending, user, onCommitted);
    unit.ended.push(ended);
    if (isTextless(ended)) units.dropText(unit, event);
    this.#flushIn(unit.pending.size === 0 ? 0 : partialAfterMs);
  }

  /** What has ended of these units is not to wait for the rest. */
  flushSoon(units: readonly Unit[]): void {
    const begun = units.filter(({ ended }) => ended.length > 0);
    for (const unit of begun) unit.endedAt = -Infinity;
    if (begun.length > 0) this.#flushIn(0);
  }

  /** All of it had ended when its holder was lost. */
  flushEnded(unit: Unit): void {
    if (unit.pending.size === 0) this.#flushIn(0);
  }

  /** Makes durable what was ended so far. */
  async flush(): Promise<void> {
    // One after the other: an outcome of a unit that another transaction has ended would be refused.
    this.#flushed = this.#flushed.then(() => this.#flush(true));
    await this.#flushed;
  }

  async close(): Promise<void> {
    await this.flush();
    this.#cancelFlush?.();
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
    const { clock, units } = this.#options;
    const before = clock.monotonic() - (isAll ? 0 : partialAfterMs);
    const due = units.all.filter(
      ({ pending, ended, endedAt }) =>
        pending.size === 0 || (ended.length > 0 && endedAt <= before),
    );
    if (due.length > 0) await this.#write(due);
    this.#isFlushing = false;
    const left = units.all.filter(({ ended, pending }) => ended.length > 0 || pending.size === 0);
    const isDue = ({ pending, endedAt }: Unit): boolean =>
      pending.size === 0 || endedAt === -Infinity;
    if (left.some(isDue)) this.#flushIn(0);
    else if (left.length > 0) this.#flushIn(partialAfterMs);
  }

  async #write(written: readonly Unit[]): Promise<void> {
    const { units, taker, onUnitEnded, onUnitLost, onWritten } = this.#options;
    const outcomes = written.map(takeOutcome);
    for (const unit of written) unit.isWriting = true;
    const stored = await this.#stored(outcomes);
    /** Perhaps ours nevertheless: the server may have been away for a moment. */
    const refused: Unit[] = [];
    for (const { unit, ended, left } of outcomes) {
      unit.isWriting = false;
      if (stored.get(unit) === true) {
        if (left.size === 0) onUnitEnded(unit);
        for (const one of ended) {
          if (!isTextless(one)) units.dropText(unit, one.event);
          one.onCommitted();
        }
        continue;
      }
      onUnitLost(unit);
      if (!stored.has(unit)) refused.push(unit);
    }
    await taker.release(refused);
    onWritten();
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
