import { eventTypes } from '../events/event.js';
import type { Stats } from '../api/listen.js';
import type { EventNote } from './notes.js';
import type { ReceivedRequest } from './received-request.js';

/** Counts of all requests, including those that are no longer kept. */
export class Statistics {
  #requests = 0;
  #events = 0;
  #bytes = 0;
  readonly #byType = new Map<string, number>();
  readonly #byStatus = new Map<string, number>();
  readonly #bySignature = { valid: 0, invalid: 0, missing: 0, unchecked: 0 };

  add(received: ReceivedRequest, events: readonly EventNote[]): void {
    this.#requests++;
    this.#events += events.length;
    this.#bytes += received.bytes;
    for (const { type } of events) count(this.#byType, known.has(type) ? type : 'other');
    count(this.#byStatus, String(received.response.status ?? 'none'));
    this.#bySignature[received.signature]++;
  }

  /** `kept` is how many requests are still kept. */
  stats(kept: number): Stats {
    return {
      requests: this.#requests,
      events: this.#events,
      bytes: this.#bytes,
      byType: Object.fromEntries(this.#byType),
      bySignature: { ...this.#bySignature },
      byStatus: Object.fromEntries(this.#byStatus),
      kept,
    };
  }
}

/** Other types count as `other`: senders choose the type, and the map must not grow without limit. */
const known: ReadonlySet<string> = new Set(eventTypes);

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
