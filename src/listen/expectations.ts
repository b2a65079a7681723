import { holds, isGoal, parseExpectation, type Expectation } from './expectation.js';
import type { Watcher } from './journal.js';
import type { Notes } from './notes.js';
import type { ReceivedRequest } from './received-request.js';

/** The current result of one expectation. */
export interface ExpectationResult {
  /** As it was written. */
  readonly expect: string;
  readonly count: number;
  readonly met: boolean;
}

/** Counts expected requests and events, and reports when all expectations are met. */
export class Expectations implements Watcher {
  readonly #items: readonly { readonly rule: Expectation; count: number }[];
  readonly #onMet: () => void;

  /**
   * @param onMet called when all are met and at least one of them needed something to arrive. Rules
   * that only forbid are evaluated at the end.
   * @throws UsageError if one of them is wrong
   */
  constructor(texts: readonly string[], onMet: () => void) {
    this.#items = texts.map((text) => ({ rule: parseExpectation(text), count: 0 }));
    this.#onMet = onMet;
  }

  get results(): ExpectationResult[] {
    return this.#items.map(({ rule, count }) => ({
      expect: rule.text,
      count,
      met: holds(rule, count),
    }));
  }

  get areMet(): boolean {
    return this.#items.every(({ rule, count }) => holds(rule, count));
  }

  added = (received: ReceivedRequest, notes: Notes): void => {
    for (const item of this.#items) item.count += item.rule.countIn(received, notes);
    if (this.areMet && this.#items.some(({ rule }) => isGoal(rule))) this.#onMet();
  };

  /** Sets all counts to 0. */
  reset = (): void => {
    for (const item of this.#items) item.count = 0;
  };
}
