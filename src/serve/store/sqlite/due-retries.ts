import type { Clock } from '../../../clock.js';
import { Queue } from '../../../collections/queue.js';
import type { RetryEvent, StoredEvent } from '../stored.js';
import { failuresUntilDown, type DownReason } from '../../../delivery/circuit-breaker.js';
import { maxHoldMs } from '../../../delivery/endpoint-hold.js';
import { dueBy } from '../../../delivery/endpoint-state.js';
import type { EndpointDeliveryState } from '../../../delivery/outcome.js';
import { defaultRetryDelaysMs, maxDelayMs } from '../../../delivery/retry-schedule.js';
import type { Retries } from '../service-store.js';
import type { ListedRetry } from '../store-views.js';

/** How many due retries are looked up at once. */
const pageRetries = 128;
/** When to look again for a retry that was released, since its URLs were down or paused. */
const releasedMs = 1_000;
/** Maximum time between look-ups: the time of day may have been changed. */
const maxWaitMs = 60_000;

/** Reads retries, as `SqliteStore` does. */
export interface StoredRetries {
  retries(destination: string, limit: number): ListedRetry[];
  retry(destination: string, id: number): RetryEvent | undefined;
}

/** Events that wait in the store for their next attempt at a destination. */
export class DueRetries implements Retries {
  readonly #store: StoredRetries;
  readonly #clock: Clock;
  readonly #destination: string;
  /** Ids of due retries, in order. */
  readonly #due = new Queue<number>();
  /** Those, and retries that were taken and whose result is not durable yet. */
  readonly #inFlight = new Set<number>();
  /** By the monotonic clock. */
  #nextAt = 0;

  constructor(store: StoredRetries, clock: Clock, destination: string) {
    this.#store = store;
    this.#clock = clock;
    this.#destination = destination;
  }

  /** When to take the next one, by the monotonic clock; Infinity when none waits. */
  get nextAt(): number {
    return this.#due.size > 0 ? 0 : this.#nextAt;
  }

  /** An event is durably postponed by this delay from now. */
  postponed(id: number, delayMs: number): void {
    this.#inFlight.delete(id);
    this.#nextAt = Math.min(this.#nextAt, this.#after(delayMs));
  }

  /** The retry is looked up again soon: it may be the only one. */
  release({ id }: StoredEvent): void {
    this.postponed(id, releasedMs);
  }

  /** An event has durably ended. */
  ended(id: number): void {
    this.#inFlight.delete(id);
  }

  /** Removes and returns the next due event, if any. @throws StateError when the store cannot be read. */
  take(): RetryEvent | undefined {
    if (this.#due.size === 0 && this.#nextAt <= this.#clock.monotonic()) this.#lookUp();
    for (let id = this.#due.shift(); id !== undefined; id = this.#due.shift()) {
      const event = this.#read(id);
      if (event) return { ...event, endpointDeliveries: this.#dueNow(event) };
      this.#inFlight.delete(id);
    }
    return undefined;
  }

  /**
   * Removes and returns the retry that is due first, or will be. Its states are as they were stored.
   * @throws StateError when the store cannot be read.
   */
  takeEarliest(): RetryEvent | undefined {
    const found = this.#store.retries(this.#destination, 1 + this.#inFlight.size);
    const earliest = found.find(({ id }) => !this.#inFlight.has(id));
    if (!earliest) return undefined;
    this.#inFlight.add(earliest.id);
    const event = this.#read(earliest.id);
    if (!event) this.#inFlight.delete(earliest.id);
    return event;
  }

  /**
   * The URLs (by their index) that were down or paused before this start, each with a result that shows it. That
   * follows from the retries that are due first: at a URL that was down they failed at least `failuresUntilDown` times
   * in all; one that was paused has put off a retry for longer than the schedule does.
   *
   * Both count as down, since the destination may have another URL by now, or the clock may be wrong: a probe tells.
   * @throws StateError when the store cannot be read.
   */
  outages(): ReadonlyMap<number, DownReason> {
    const now = this.#clock.now();
    const failures = new Map<number, number>();
    const outages = new Map<number, DownReason>();
    for (const { id } of this.#store.retries(this.#destination, failuresUntilDown)) {
      const states = this.#store.retry(this.#destination, id)?.endpointDeliveries ?? [];
      states.forEach((state, index) => {
        const { attempts, dueAt, status, error } = state;
        if (dueAt === undefined) return;
        const isSoon = dueAt <= now + maxHoldMs;
        const count = (failures.get(index) ?? 0) + (isSoon ? attempts : 0);
        failures.set(index, count);
        if (count >= failuresUntilDown || isPutOffByPause(state, now))
          outages.set(index, { status, error });
      });
    }
    return outages;
  }

  /** A retry that cannot be read is looked up again. */
  #read(id: number): RetryEvent | undefined {
    try {
      return this.#store.retry(this.#destination, id);
    } catch (error) {
      this.#inFlight.delete(id);
      this.#nextAt = 0;
      throw error;
    }
  }

  #dueNow({ endpointDeliveries }: RetryEvent): RetryEvent['endpointDeliveries'] {
    return dueBy(this.#clock.now(), endpointDeliveries);
  }

  #lookUp(): void {
    const limit = pageRetries + this.#inFlight.size;
    const found = this.#store.retries(this.#destination, limit);
    const now = this.#clock.now();
    const idle = found.filter(({ id }) => !this.#inFlight.has(id));
    const due = idle.filter(({ dueAt }) => dueAt <= now);
    for (const { id } of due) {
      this.#inFlight.add(id);
      this.#due.push(id);
    }
    const later = idle[due.length]?.dueAt ?? Infinity;
    // There may be more retries after those that were read.
    const nextAt = found.length === limit ? Math.min(later, found.at(-1)!.dueAt) : later;
    this.#nextAt = this.#after(nextAt - now);
  }

  #after(delayMs: number): number {
    if (delayMs === Infinity) return Infinity;
    return this.#clock.monotonic() + Math.min(Math.max(delayMs, 0), maxWaitMs);
  }
}

/** The statuses of a response that asks for a pause of its URL. */
const pausing: readonly (number | null)[] = [429, 503];

/** Whether a retry is due later than the schedule or an outage would explain. */
function isPutOffByPause(
  { attempts, firstAt, dueAt = 0, status }: EndpointDeliveryState,
  now: number,
): boolean {
  // With a first attempt in the future, the clock was set back.
  if (!pausing.includes(status) || firstAt > now) return false;
  const delayMs = defaultRetryDelaysMs[attempts - 1] ?? maxDelayMs;
  return dueAt - now > Math.max(maxHoldMs, 2 * delayMs);
}
