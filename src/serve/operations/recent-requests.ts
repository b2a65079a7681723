import { compactEvent } from '../../events/text-event.js';
import { isRaw, rawOf, type RawRequest } from '../raw/raw-request.js';
import type { Accepted, IngestBatch } from '../types.js';

const maxBytes = 4 * 1024 * 1024;
const maxRequests = 1_000;

/** The newest requests of raw sources, in memory: delivered ones are not stored anymore, and can still be shown. */
export class RecentRequests {
  readonly #requests = new Map<string, RawRequest>();
  #bytes = 0;

  /** @param repeated repeats, which are left out: the first request stays */
  add({ source, accepted }: IngestBatch, repeated?: ReadonlySet<Accepted>): void {
    for (const one of accepted) {
      const { event, stamp } = one;
      if (!isRaw(event) || repeated?.has(one)) continue;
      const key = keyOf(source.name, stamp.messageId);
      this.#drop(key);
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
    for (const key of this.#requests.keys()) {
      if (this.#bytes <= maxBytes && this.#requests.size <= maxRequests) return;
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#requests.get(key)?.bytes.length ?? 0;
    this.#requests.delete(key);
  }
}

function keyOf(source: string, messageId: string): string {
  return `${source}\0${messageId}`;
}
