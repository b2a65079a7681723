import type { Clock } from '../../clock.js';
import { Queue } from '../../collections/queue.js';
import type { ServiceStore } from '../store/service-store.js';
import type { WaitingEvent } from '../store/stored.js';
import { dueBy } from '../../delivery/endpoint-state.js';

/** So many that are due are looked up together. */
const pageRetries = 128;
/** The store is asked again after this time at the latest: the time of day may have been set. */
const longestWaitMs = 60_000;

/** Events that wait in the store for their next try at a destination. */
export class DueRetries {
  readonly #store: ServiceStore;
  readonly #clock: Clock;
  readonly #destination: string;
  /** Whose turn it is. */
  readonly #due = new Queue<number>();
  /** Those, and what was taken and has not got a durable end. */
  readonly #inFlight = new Set<number>();
  /** By the monotonic clock. */
  #nextAt = 0;

  constructor(store: ServiceStore, clock: Clock, destination: string) {
    this.#store = store;
    this.#clock = clock;
    this.#destination = destination;
  }

  /** When to ask for the next one, by the monotonic clock; Infinity when none waits. */
  get nextAt(): number {
    return this.#due.size > 0 ? 0 : this.#nextAt;
  }

  /** An event is durably put off, for so long from now. */
  postponed(id: number, delayMs: number): void {
    this.#inFlight.delete(id);
    this.#nextAt = Math.min(this.#nextAt, this.#after(delayMs));
  }

  /** It has durably ended. */
  ended(id: number): void {
    this.#inFlight.delete(id);
  }

  /** The next one that is due, if there is one. @throws StateError when the store cannot be read. */
  take(): WaitingEvent | undefined {
    if (this.#due.size === 0 && this.#nextAt <= this.#clock.monotonic()) this.#lookUp();
    for (let id = this.#due.shift(); id !== undefined; id = this.#due.shift()) {
      const event = this.#read(id);
      if (event) return event;
      this.#inFlight.delete(id);
    }
    return undefined;
  }

  /** One that cannot be read is looked up again. */
  #read(id: number): WaitingEvent | undefined {
    try {
      const event = this.#store.retry(this.#destination, id);
      return (
        event && {
          ...event,
          endpointDeliveries: dueBy(this.#clock.now(), event.endpointDeliveries),
        }
      );
    } catch (error) {
      this.#inFlight.delete(id);
      this.#nextAt = 0;
      throw error;
    }
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
    // There may be more behind those that were looked at.
    const nextAt = found.length === limit ? Math.min(later, found.at(-1)!.dueAt) : later;
    this.#nextAt = this.#after(nextAt - now);
  }

  #after(delayMs: number): number {
    if (delayMs === Infinity) return Infinity;
    return this.#clock.monotonic() + Math.min(Math.max(delayMs, 0), longestWaitMs);
  }
}
