import { Queue } from '../../../collections/queue.js';
import { memoryOf, type StoredEvent } from '../stored.js';
import type { MemoryShare } from '../../forward/memory-budget.js';
import type { Backlog } from '../service-store.js';

/** Beyond either of these, events wait in the store alone. */
const maxEvents = 512;
const maxBytes = 1024 * 1024;
/** How many are read from the store at once. */
const pageEvents = 128;

/** Reads events without an attempt, as `SqliteStore` does. */
interface NotAttempted {
  notAttempted(
    destination: string,
    afterId: number,
    limit: number,
    maxBytes?: number,
  ): StoredEvent[];
}

/**
 * Events that were not attempted at a destination, in the order of arrival: the first ones in
 * memory, as far as the share of the destination allows, the rest in the store.
 */
export class SqliteBacklog implements Backlog {
  readonly #store: NotAttempted;
  readonly #destination: string;
  readonly #share: MemoryShare;
  readonly #events = new Queue<StoredEvent>();
  /** Ids of those that were taken and released, in the order of arrival; few, and before all others. */
  readonly #released: number[] = [];
  /** The id of the event that was offered last; 0 once that was looked up by `takeNewest`. */
  #newestId = 0;
  /** Ids of events that `takeNewest` returned while earlier ones still waited. */
  readonly #taken = new Set<number>();
  #bytes = 0;
  /** The last event that was loaded into memory, and the last one that was taken from there. */
  #lastId = 0;
  #takenId = 0;
  /** Whether the store may have more after the last one in memory. */
  #isBehind = true;

  constructor(store: NotAttempted, destination: string, share: MemoryShare) {
    this.#store = store;
    this.#destination = destination;
    this.#share = share;
  }

  /** Events up to this id are or were in memory. */
  get lastId(): number {
    return this.#lastId;
  }

  /** Offers an event that was just stored. */
  offer(event: StoredEvent): void {
    if (event.id <= this.#lastId) return;
    this.#newestId = event.id;
    if (this.#isBehind || this.#events.size >= maxEvents || this.#bytes >= this.#maxLoadedBytes())
      this.#isBehind = true;
    else this.#push(event);
  }

  /** Removes and returns the next event, if any. @throws StateError when the store cannot be read. */
  take(): StoredEvent | undefined {
    const released = this.#takeReleased();
    if (released) return released;
    if (this.#events.size === 0 && this.#isBehind) this.#read();
    const event = this.#events.shift();
    if (!event) return undefined;
    this.#count(-memoryOf(event));
    this.#takenId = event.id;
    for (const id of this.#taken) if (id <= event.id) this.#taken.delete(id);
    return event;
  }

  /**
   * Removes and returns the event that was offered last, else the last one in memory, else the next one. It is meant
   * for a probe: the first ones may fail for the same reason as those that were attempted.
   */
  takeNewest(): StoredEvent | undefined {
    const newest = this.#unloadedNewest();
    if (newest) {
      this.#taken.add(newest.id);
      return newest;
    }
    const last = this.#events.pop();
    if (!last) return this.take();
    this.#count(-memoryOf(last));
    this.#taken.add(last.id);
    return last;
  }

  #unloadedNewest(): StoredEvent | undefined {
    const id = this.#newestId;
    this.#newestId = 0;
    if (id <= this.#lastId) return undefined;
    const [event] = this.#store.notAttempted(this.#destination, id - 1, 1);
    return event?.id === id ? event : undefined;
  }

  /** The event is read from the store again. */
  release({ id }: StoredEvent): void {
    const index = this.#released.findLastIndex((before) => before < id);
    this.#released.splice(index + 1, 0, id);
  }

  unload(): void {
    if (this.#events.size === 0) return;
    this.#events.takeAll();
    this.#count(-this.#bytes);
    this.#lastId = this.#takenId;
    this.#isBehind = true;
  }

  #takeReleased(): StoredEvent | undefined {
    for (let [id] = this.#released; id !== undefined; [id] = this.#released) {
      const [event] = this.#store.notAttempted(this.#destination, id - 1, 1);
      this.#released.shift();
      // Otherwise it has ended, or cannot be read.
      if (event?.id === id) return event;
    }
    return undefined;
  }

  /** One event at least, so that a destination whose share is used up makes progress. */
  #read(): void {
    const maxPageBytes = this.#maxLoadedBytes();
    const page = this.#store.notAttempted(
      this.#destination,
      this.#lastId,
      pageEvents,
      maxPageBytes,
    );
    this.#isBehind = page.length === pageEvents || sizeOf(page) >= maxPageBytes;
    for (const event of page) {
      this.#lastId = event.id;
      if (!this.#taken.has(event.id)) this.#push(event);
    }
  }

  /** Half of the room is left to what is in flight. For a silent destination 1: events are read one by one. */
  #maxLoadedBytes(): number {
    if (!this.#share.isResponsive) return 1;
    return Math.max(1, Math.min(maxBytes, this.#share.roomBytes / 2));
  }

  #push(event: StoredEvent): void {
    this.#events.push(event);
    this.#count(memoryOf(event));
    this.#lastId = event.id;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#share.keep(bytes);
  }
}

function sizeOf(events: readonly StoredEvent[]): number {
  return events.reduce((sum, event) => sum + memoryOf(event), 0);
}
