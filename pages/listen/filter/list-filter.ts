import type { RequestRow } from '../../../src/api/listen.js';
import { Poll } from '../view/poll.js';
import type { RequestLog } from '../receive/request-log.js';
import { matcher, termMatcher } from './filter.js';
import { parseQuery, type Term } from './query.js';
import type { TextSearch } from './text-search.js';

/** Between two searches in what has arrived: soon enough for a live list. */
const pauseMs = 150;

/** How many of the kept requests a term hides on its own. */
export interface HiddenBy {
  readonly term: Term;
  readonly count: number;
}

/** Applies a query to the list, and to what arrives. */
export class ListFilter {
  readonly #log: RequestLog;
  readonly #texts: TextSearch;
  readonly #onChange: () => void;
  readonly #poll = new Poll(() => this.#extend(), pauseMs);
  #terms: readonly Term[] = [];
  #abort = new AbortController();
  #settled: Promise<void> = Promise.resolve();

  constructor(log: RequestLog, texts: TextSearch, onChange: () => void) {
    this.#log = log;
    this.#texts = texts;
    this.#onChange = onChange;
  }

  /** Resolves when the list shows the result of the last query. */
  get settled(): Promise<void> {
    return this.#settled;
  }

  apply(query: string): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#terms = parseQuery(query);
    const texts = new Set(this.#terms.filter(isText).map(({ value }) => value));
    if (texts.size === 0) {
      this.#texts.forget();
      this.#show();
    } else {
      this.#settled = this.#load([...texts], this.#abort.signal);
    }
  }

  /** Call when requests have arrived. */
  follow(): void {
    if (this.#terms.some(isText)) this.#poll.ask();
  }

  /** Call when the receiver may have been started again. */
  restart(query: string): void {
    this.#texts.forget();
    this.apply(query);
  }

  /** What hides requests, the most first. */
  hidden(): HiddenBy[] {
    const kept = this.#log.kept.toArray();
    return this.#terms
      .map((term) => {
        const matches = termMatcher(term, this.#hasText);
        return { term, count: kept.filter((row) => !matches(row)).length };
      })
      .filter(({ count }) => count > 0)
      .sort((one, other) => other.count - one.count);
  }

  readonly #hasText = (text: string, row: RequestRow): boolean => this.#texts.has(text, row);

  async #load(texts: readonly string[], signal: AbortSignal): Promise<void> {
    try {
      await this.#texts.load(texts, signal);
    } catch {
      // The stream reports a lost connection, and applies the query again when there is another one.
      return;
    }
    if (!signal.aborted) this.#show();
  }

  #show(): void {
    this.#log.filter(matcher(this.#terms, this.#hasText), this.#texts.last);
    this.#onChange();
  }

  async #extend(): Promise<void> {
    const { signal } = this.#abort;
    await this.#texts.extend(signal);
    if (signal.aborted) return;
    this.#log.decide(this.#texts.last);
    this.#onChange();
  }
}

function isText({ field }: Term): boolean {
  return field === 'text';
}
