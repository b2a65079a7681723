import { compactEvent } from '../../events/text-event.js';
import { isRaw, rawOf, type RawRequest } from '../raw/raw-request.js';
import type { IngestBatch } from '../types.js';

const maxBytes = 4 * 1024 * 1024;
const maxRequests = 1_000;

/** The newest requests of raw sources, in memory: what was delivered is stored no longer, and can still be looked at. */
export class RecentRequests {
  readonly #requests = new Map<string, RawRequest>();
  #bytes = 0;

  add({ source, accepted }: IngestBatch): void {
    for (const { event, stamp } of accepted) {
      if (!isRaw(event)) continue;
      const key = keyOf(source.name, stamp.messageId);
      // A repeat is known by the first one.
      if (this.#requests.has(key)) continue;
      const request = rawOf(compactEvent(event));
      this.#requests.set(key, request);
      this.#bytes += request.bytes.length;
    }
    this.#dropOldest();
  }

  get(source: string, messageId: string): RawRequest | undefined {
    return this.#requests.get(keyOf(source, messageId));
  }

  #dropOldest(): void {
    for (const [key, { bytes }] of this.#requests) {
      if (this.#bytes <= maxBytes && this.#requests.size <= maxRequests) return;
      this.#requests.delete(key);
      this.#bytes -= bytes.length;
    }
  }
}

function keyOf(source: string, messageId: string): string {
  return `${source}\0${messageId}`;
}
