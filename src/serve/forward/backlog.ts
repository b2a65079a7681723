import { Queue } from '../../collections/queue.js';
import type { ServiceStore } from '../store/service-store.js';
import type { StoredEvent } from '../store/stored.js';

/** Beyond either of these, events wait in the store alone. */
const maxEvents = 512;
const maxBytes = 4 * 1024 * 1024;
/** So many are read from the store together. */
const pageEvents = 128;

/**
 * Events that a destination has not been tried with, in the order of arrival: the first of them in
 * memory, what they have no room for in the store.
 */
export class Backlog {
  readonly #store: ServiceStore;
  readonly #destination: string;
  readonly #events = new Queue<StoredEvent>();
  #bytes = 0;
  /** The last event that was taken to memory. */
  #lastId = 0;
  /** Whether the store may have more behind that one. */
  #isBehind = true;

  constructor(store: ServiceStore, destination: string) {
    this.#store = store;
    this.#destination = destination;
  }

  /** Events up to this id are in memory, or were taken. */
  get lastId(): number {
    return this.#lastId;
  }

  /** Takes an event that the store has just got. */
  offer(event: StoredEvent): void {
    if (event.id <= this.#lastId) return;
    if (this.#isBehind || this.#events.size >= maxEvents || this.#bytes >= maxBytes) {
      this.#isBehind = true;
    } else {
      this.#push(event);
    }
  }

  /** The next one, if there is one. @throws StateError when the store cannot be read. */
  take(): StoredEvent | undefined {
    if (this.#events.size === 0 && this.#isBehind) this.#read();
    const event = this.#events.shift();
    if (event) this.#bytes -= event.event.bytes.length;
    return event;
  }

  #read(): void {
    const page = this.#store.notAttempted(this.#destination, this.#lastId, pageEvents);
    for (const event of page) this.#push(event);
    this.#isBehind = page.length === pageEvents;
  }

  #push(event: StoredEvent): void {
    this.#events.push(event);
    this.#bytes += event.event.bytes.length;
    this.#lastId = event.id;
  }
}
