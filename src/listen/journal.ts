import type { Stats } from '../api/listen.js';
import { RequestStore } from './request-store.js';
import type { Notes } from './notes.js';
import type { ReceivedRequest } from './received-request.js';
import { Statistics } from './statistics.js';

/** Someone who is told what happens. */
export interface Watcher {
  /** A request is recorded, and about to be answered. */
  readonly added?: (received: ReceivedRequest, notes: Notes) => void;
  readonly reset?: () => void;
}

/** What has come so far: the newest requests, the counts of all, and who is told of each. */
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

  /** Forgets all requests and counts. */
  reset(): void {
    this.#statistics = new Statistics();
    this.kept.clear();
    for (const watcher of this.#watchers) watcher.reset?.();
  }
}
