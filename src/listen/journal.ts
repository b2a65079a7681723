import type { Stats } from '../api/listen.js';
import { RequestStore } from './request-store.js';
import type { Notes } from './notes.js';
import type { ReceivedRequest } from './received-request.js';
import { Statistics } from './statistics.js';

/** Called for every request and reset. */
export interface Watcher {
  /** A request was recorded and is about to be responded to. */
  readonly added?: (received: ReceivedRequest, notes: Notes) => void;
  readonly reset?: () => void;
}

/** The requests so far: the newest ones, the counts of all, and the watchers to notify. */
export class Journal {
  readonly kept: RequestStore;
  #statistics = new Statistics();
  #last = 0;
  readonly #watchers: Watcher[] = [];

  constructor(kept = new RequestStore()) {
    this.kept = kept;
  }

  /** The sequence number of the newest request, also over resets; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  get stats(): Stats {
    return this.#statistics.stats(this.kept.size);
  }

  watch(watcher: Watcher): void {
    this.#watchers.push(watcher);
  }

  add(received: ReceivedRequest, notes: Notes): void {
    this.#last = received.sequence;
    this.#statistics.add(received, notes.events);
    this.kept.add(received);
    for (const watcher of this.#watchers) watcher.added?.(received, notes);
  }

  /** Drops all requests and counts. */
  reset(): void {
    this.#statistics = new Statistics();
    this.kept.clear();
    for (const watcher of this.#watchers) watcher.reset?.();
  }
}
