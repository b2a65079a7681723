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
  readonly #responses = new Map<string, PlannedResponse>();
  /** The keys of those with headers and a body, the oldest first. */
  readonly #large = new Set<string>();
  #bytes = 0;

  constructor(limits: AnswerStoreLimits = { ids: maxKnownIds, bytes: maxAnswerBytes }) {
    this.#limits = limits;
  }

  find(key: string): PlannedResponse | undefined {
    return this.#responses.get(key);
  }

  /** A body of which only the beginning is known cannot be repeated: its status alone is kept. */
  add(key: string, response: PlannedResponse): void {
    const kept = response.content?.isWhole === false ? statusAlone(response) : response;
    this.#responses.set(key, kept);
    if (kept.content) this.#large.add(key);
    this.#bytes += sizeOf(kept);
    if (this.#responses.size > this.#limits.ids) this.#delete(first(this.#responses));
    while (this.#bytes > this.#limits.bytes && this.#large.size > 0) {
      this.#reduce(first(this.#large));
    }
  }

  #reduce(key: string): void {
    const response = this.#responses.get(key)!;
    this.#large.delete(key);
    this.#bytes -= sizeOf(response);
    this.#responses.set(key, statusAlone(response));
  }

  #delete(key: string): void {
    this.#bytes -= sizeOf(this.#responses.get(key)!);
    this.#large.delete(key);
    this.#responses.delete(key);
  }
}

function first(keys: Map<string, unknown> | Set<string>): string {
  return keys.keys().next().value!;
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
