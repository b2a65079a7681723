import type { Clock } from '../../../clock.js';
import { dueBy } from '../../../delivery/endpoint-state.js';
import type { Retries } from '../service-store.js';
import type { RetryEvent, StoredEvent } from '../stored.js';
import type { HeldUnits } from './held-units.js';

export interface LaneRetriesOptions {
  readonly clock: Clock;
  readonly units: HeldUnits;
  /** Whether a batch could be fetched now. */
  readonly canFetch: () => boolean;
  /** @param early also a batch that is not due */
  readonly fetch: (early: boolean) => void;
}

/** When to look again for a retry that was not sent, since its URLs were down or paused. */
const returnedMs = 1_000;
/** Maximum time between look-ups. */
const lookAgainMs = 60_000;

/** The retries of a destination that are in hand, in the order of their due times, and when to fetch more. */
export class LaneRetries implements Retries {
  readonly #options: LaneRetriesOptions;
  #held: RetryEvent[] = [];
  /** When the next batch may be due, by the monotonic clock. */
  #fetchAt = 0;

  constructor(options: LaneRetriesOptions) {
    this.#options = options;
  }

  get nextAt(): number {
    const { clock, canFetch } = this.#options;
    const [first] = this.#held;
    const held = first ? clock.monotonic() + first.dueAt - clock.now() : Infinity;
    return Math.min(held, canFetch() ? this.#fetchAt : Infinity);
  }

  take(): RetryEvent | undefined {
    const { clock, units } = this.#options;
    const now = clock.now();
    const retry = this.#next(now);
    if (!retry) return undefined;
    return units.handOut({ ...retry, endpointDeliveries: dueBy(now, retry.endpointDeliveries) });
  }

  takeEarliest(): RetryEvent | undefined {
    const { units, fetch } = this.#options;
    const retry = this.#next(Infinity);
    if (retry) return units.handOut(retry);
    fetch(true);
    return undefined;
  }

  postponed(_id: number, delayMs: number): void {
    this.fetchIn(delayMs);
  }

  release(event: StoredEvent): void {
    const { clock, units } = this.#options;
    const stored = units.takeBack(event)?.events.get(event.id) as RetryEvent | undefined;
    if (stored) this.add({ ...stored, dueAt: clock.now() + returnedMs });
  }

  ended(): void {
    // The store is told of the unit alone.
  }

  /** Those of all instances are in the store. */
  outages(): ReturnType<Retries['outages']> {
    return new Map();
  }

  add(retry: RetryEvent): void {
    const index = this.#held.findIndex(({ dueAt }) => dueAt > retry.dueAt);
    this.#held.splice(index === -1 ? this.#held.length : index, 0, retry);
  }

  /** Drops all others. */
  keep(isKept: (retry: RetryEvent) => boolean): void {
    this.#held = this.#held.filter(isKept);
  }

  /** Unless a fetch is due before. */
  fetchIn(delayMs: number): void {
    if (delayMs === Infinity) return;
    const wait = Math.min(Math.max(delayMs, 0), lookAgainMs);
    this.#fetchAt = Math.min(this.#fetchAt, this.#options.clock.monotonic() + wait);
  }

  /** Until `fetchIn` is called. */
  stopFetching(): void {
    this.#fetchAt = Infinity;
  }

  /** @param by a due time */
  #next(by: number): RetryEvent | undefined {
    const { clock, fetch } = this.#options;
    if (this.#fetchAt <= clock.monotonic()) fetch(false);
    const [first] = this.#held;
    if (!first || first.dueAt > by) return undefined;
    return this.#held.shift();
  }
}
