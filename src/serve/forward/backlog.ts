import { Queue } from '../../collections/queue.js';
import type { ServiceStore } from '../store/service-store.js';
import type { StoredEvent } from '../store/stored.js';

/** Beyond either of these, events wait in the store alone. */
const maxEvents = 512;
const maxBytes = 4 * 1024 * 1024;
/** How many are read from the store at once. */
const pageEvents = 128;

/**
 * Events that were not attempted at a destination, in the order of arrival: the first ones in
 * memory, the rest in the store.
 */
export class Backlog {
  readonly #store: ServiceStore;
  readonly #destination: string;
  readonly #events = new Queue<StoredEvent>();
  /** Taken and given back, in the order of arrival; few, and before all others. */
  readonly #returned: StoredEvent[] = [];
  /** The last one that was offered, unless it was taken. */
  #newest: StoredEvent | undefined;
  /** Taken before they were in memory. */
  readonly #taken = new Set<number>();
  #bytes = 0;
  /** The last event that was loaded into memory. */
  #lastId = 0;
  /** Whether the store may have more after that one. */
  #isBehind = true;

  constructor(store: ServiceStore, destination: string) {
    this.#store = store;
    this.#destination = destination;
  }

  /** Events up to this id are or were in memory. */
  get lastId(): number {
    return this.#lastId;
  }

  /** Offers an event that was just stored. */
  offer(event: StoredEvent): void {
    if (event.id <= this.#lastId) return;
    this.#newest = event;
    if (this.#isBehind || this.#events.size >= maxEvents || this.#bytes >= maxBytes) {
      this.#isBehind = true;
    } else {
      this.#push(event);
    }
  }

  /** Removes and returns the next event, if any. @throws StateError when the store cannot be read. */
  take(): StoredEvent | undefined {
    const returned = this.#returned.shift();
    if (returned) return returned;
    if (this.#events.size === 0 && this.#isBehind) this.#read();
    const event = this.#events.shift();
    if (event) this.#bytes -= event.event.bytes.length;
    return event;
  }

  /**
   * Removes and returns the event that was offered last, or the last one in memory: the first ones may be more of
   * what fails.
   */
  takeNewest(): StoredEvent | undefined {
    const newest = this.#newest;
    this.#newest = undefined;
    if (newest && newest.id > this.#lastId) {
      this.#taken.add(newest.id);
      return newest;
    }
    const last = this.#events.pop();
    if (last) this.#bytes -= last.event.bytes.length;
    return last ?? this.take();
  }

  /** Takes back an event that was not attempted after all. */
  putBack(event: StoredEvent): void {
    const index = this.#returned.findLastIndex(({ id }) => id < event.id);
    this.#returned.splice(index + 1, 0, event);
  }

  #read(): void {
    const page = this.#store.notAttempted(this.#destination, this.#lastId, pageEvents);
    for (const event of page) {
      this.#lastId = event.id;
      if (!this.#taken.delete(event.id)) this.#push(event);
    }
    this.#isBehind = page.length === pageEvents;
  }

  #push(event: StoredEvent): void {
    this.#events.push(event);
    this.#bytes += event.event.bytes.length;
    this.#lastId = event.id;
  }
}
