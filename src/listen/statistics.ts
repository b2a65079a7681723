import { eventTypes } from '../events/event.js';
import type { Stats } from '../api/listen.js';
import type { EventNote } from './notes.js';
import type { ReceivedRequest } from './received-request.js';

/** Counts of everything that came, also of what is no longer kept. */
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

  /** `kept` is how many of the requests are still there. */
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

/** Senders choose the type, and the counts must not grow with what they choose. */
const known: ReadonlySet<string> = new Set(eventTypes);

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
