import { Queue } from '../../../collections/queue.js';
import { memoryOf, type StoredEvent } from '../stored.js';

/** Beyond either of these, events wait in the store alone. */
const maxEvents = 512;
const maxBytes = 1024 * 1024;

/** Events in hand without an attempt, in the order of arrival. */
export class ReadyEvents {
  #events = new Queue<StoredEvent>();
  #bytes = 0;

  get size(): number {
    return this.#events.size;
  }

  /** How many more there may be. */
  get room(): number {
    return this.#bytes >= maxBytes ? 0 : Math.max(0, maxEvents - this.size);
  }

  push(event: StoredEvent): void {
    this.#events.push(event);
    this.#bytes += memoryOf(event);
  }

  takeOldest(): StoredEvent | undefined {
    return this.#noteTaken(this.#events.shift());
  }

  takeNewest(): StoredEvent | undefined {
    return this.#noteTaken(this.#events.pop());
  }

  /** To its place in the order of arrival. */
  putBack(event: StoredEvent): void {
    const all = this.#events.takeAll();
    const index = all.findIndex(({ id }) => id > event.id);
    all.splice(index === -1 ? all.length : index, 0, event);
    for (const one of all) this.#events.push(one);
    this.#bytes += memoryOf(event);
  }

  /** Drops all others. */
  keep(isKept: (event: StoredEvent) => boolean): void {
    const all = this.#events.takeAll();
    this.#bytes = 0;
    for (const event of all) if (isKept(event)) this.push(event);
  }

  #noteTaken(event: StoredEvent | undefined): StoredEvent | undefined {
    if (event) this.#bytes -= memoryOf(event);
    return event;
  }
}
