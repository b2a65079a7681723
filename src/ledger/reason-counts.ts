/** How many events were rejected or failed for one reason. */
export interface ReasonCount {
  /** Stable: `status_401`, `timeout`, `missing_user`, …; `other` for those beyond the limit. */
  readonly code: string;
  readonly count: number;
}

/** Codes come from statuses and rules, of which there are few; the limit bounds memory in any case. */
const maxCodes = 200;
export const otherCode = 'other';

/** Counts rejected and failed events by their code. */
export class ReasonCounts {
  readonly #counts = new Map<string, number>();

  add(code = otherCode, times = 1): void {
    const isKnown = this.#counts.has(code) || this.#counts.size < maxCodes;
    const key = isKnown ? code : otherCode;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + times);
  }

  count(code: string): number {
    return this.#counts.get(code) ?? 0;
  }

  /** The most frequent first. */
  list(): ReasonCount[] {
    const list = [...this.#counts].map(([code, count]) => ({ code, count }));
    return list.sort((a, b) => b.count - a.count);
  }
}
