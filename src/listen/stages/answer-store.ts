import { maxAnswerBytes, maxKnownIds } from '../limits.js';
import type { PlannedResponse } from '../planned-response.js';

export interface AnswerStoreLimits {
  readonly ids: number;
  /** Of all headers and bodies. */
  readonly bytes: number;
}

/**
 * The responses to the newest requests, to be repeated. When their headers and bodies take too much
 * memory, the oldest are reduced to their status.
 */
export class AnswerStore {
  readonly #limits: AnswerStoreLimits;
  /** The oldest first. */
  readonly #kept = new Map<string, Kept>();
  /** Those with headers and a body, the oldest first. */
  readonly #large = new Set<Kept>();
  #bytes = 0;

  constructor(limits: AnswerStoreLimits = { ids: maxKnownIds, bytes: maxAnswerBytes }) {
    this.#limits = limits;
  }

  find(key: string): PlannedResponse | undefined {
    return this.#kept.get(key)?.response;
  }

  /**
   * Adds one response for new keys. A body of which only the beginning is known cannot be repeated: its
   * status alone is kept.
   */
  add(keys: readonly string[], given: PlannedResponse): void {
    const response = given.content?.isWhole === false ? statusAlone(given) : given;
    const kept: Kept = { response, keys: keys.length };
    for (const key of keys) this.#kept.set(key, kept);
    if (response.content) this.#large.add(kept);
    this.#bytes += sizeOf(response);
    while (this.#kept.size > this.#limits.ids) this.#delete(first(this.#kept.keys()));
    while (this.#bytes > this.#limits.bytes && this.#large.size > 0) {
      this.#reduce(first(this.#large));
    }
  }

  #reduce(kept: Kept): void {
    this.#large.delete(kept);
    this.#bytes -= sizeOf(kept.response);
    kept.response = statusAlone(kept.response);
  }

  #delete(key: string): void {
    const kept = this.#kept.get(key)!;
    this.#kept.delete(key);
    if (--kept.keys > 0) return;
    this.#large.delete(kept);
    this.#bytes -= sizeOf(kept.response);
  }
}

/** One response, which the events of a batch share. */
interface Kept {
  response: PlannedResponse;
  /** How many keys it is kept for. */
  keys: number;
}

function first<T>(values: Iterable<T>): T {
  const [one] = values;
  return one!;
}

const nothing = { headers: [], body: Buffer.alloc(0), isWhole: true } as const;

function statusAlone({ status, delayMs, kind, slowMs, content }: PlannedResponse): PlannedResponse {
  const by = content?.by ?? 'forward';
  return { status, delayMs, kind, slowMs, content: { by, ...nothing } };
}

function sizeOf({ content }: PlannedResponse): number {
  if (!content) return 0;
  let size = content.body.length;
  for (const [name, value] of content.headers) size += name.length + value.length;
  return size;
}
