import type { RequestRow, SearchResult } from '../../../src/api/listen.js';

type Search = (text: string, after: number, signal: AbortSignal) => Promise<SearchResult>;

interface Matches {
  readonly sequences: Set<number>;
  /** The newest request that was searched. */
  last: number;
}

/**
 * The texts of a query, and which requests hold them. The receiver searches, since it has the bodies
 * and headers; the page asks again for what has arrived since.
 */
export class TextSearch {
  readonly #search: Search;
  readonly #maxKept: number;
  #found = new Map<string, Matches>();

  constructor(search: Search, maxKept: number) {
    this.#search = search;
    this.#maxKept = maxKept;
  }

  /** The newest request that was searched for all texts; infinite without any. */
  get last(): number {
    return Math.min(Infinity, ...[...this.#found.values()].map(({ last }) => last));
  }

  has(text: string, { sequence }: RequestRow): boolean {
    return this.#found.get(text)?.sequences.has(sequence) ?? false;
  }

  /** Searches for these texts, and forgets the others. */
  async load(texts: readonly string[], signal: AbortSignal): Promise<void> {
    const found = new Map<string, Matches>();
    for (const text of texts) {
      const known = this.#found.get(text) ?? { sequences: new Set(), last: 0 };
      found.set(text, known);
      await this.#extend(text, known, signal);
    }
    this.#found = found;
  }

  /** Searches what has arrived since. */
  async extend(signal: AbortSignal): Promise<void> {
    for (const [text, found] of this.#found) await this.#extend(text, found, signal);
  }

  /** Another run of the receiver numbers its requests from 1. */
  forget(): void {
    this.#found = new Map();
  }

  async #extend(text: string, found: Matches, signal: AbortSignal): Promise<void> {
    const { sequences, last } = await this.#search(text, found.last, signal);
    for (const sequence of sequences) found.sequences.add(sequence);
    found.last = Math.max(found.last, last);
    if (found.sequences.size <= 2 * this.#maxKept) return;
    for (const sequence of found.sequences) {
      if (sequence <= last - this.#maxKept) found.sequences.delete(sequence);
    }
  }
}
