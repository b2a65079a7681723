import { codeOfResult } from '../delivery/describe.js';
import type { AttemptResult, EndpointDeliveryState, Outcome } from '../delivery/outcome.js';
import { isWanted } from '../delivery/wanted.js';

/** How the events of a run ended at one of several URLs. */
export interface UrlCounts {
  readonly url: string;
  readonly delivered: number;
  /** Events that this URL did not accept, also if another one did. */
  readonly failed: number;
  /** The code of the last failure: `status_500`, `timeout`, …; null without one. */
  readonly lastReason: string | null;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Counts for each of several URLs how many events it accepted. With one URL, it counts nothing. */
export class UrlStats {
  /** How many endpoints share a URL: they may differ in their queries, which are not shown. */
  readonly #endpoints = new Map<string, number>();
  readonly #positions: readonly string[];
  readonly #counts = new Map<string, Mutable<UrlCounts>>();

  /** `urls`: one per endpoint, without queries. */
  constructor(urls: readonly string[] = []) {
    this.#positions = urls.length > 1 ? urls : [];
    for (const url of this.#positions) {
      this.#endpoints.set(url, (this.#endpoints.get(url) ?? 0) + 1);
      this.#counts.set(url, { url, delivered: 0, failed: 0, lastReason: null });
    }
  }

  /** Counts a delivered or failed event; `before` has its state at each URL after earlier rounds. */
  end({ attempts, wanted }: Outcome, before: readonly EndpointDeliveryState[] = []): void {
    for (const [url, counts] of this.#counts) {
      const here = attempts.filter((attempt) => attempt.url === url);
      const earlier = before.filter((_state, i) => this.#positions[i] === url);
      const delivered = here.filter(isDelivered).length + earlier.filter(wasDelivered).length;
      const failed = this.#expected(url, wanted) - delivered;
      counts.delivered += delivered;
      counts.failed += failed;
      if (failed > 0) counts.lastReason = lastReason(here, earlier) ?? counts.lastReason;
    }
  }

  /** How many endpoints at a URL are to get an event. */
  #expected(url: string, wanted: number | undefined): number {
    if (wanted === undefined) return this.#endpoints.get(url)!;
    return this.#positions.filter((one, i) => one === url && isWanted(wanted, i)).length;
  }

  /** Adds the counts of another thread. */
  add(others: readonly UrlCounts[]): void {
    for (const { url, delivered, failed, lastReason } of others) {
      const counts = this.#counts.get(url);
      if (!counts) continue;
      counts.delivered += delivered;
      counts.failed += failed;
      counts.lastReason = lastReason ?? counts.lastReason;
    }
  }

  /** One per URL, in order; empty with a single one. */
  list(): UrlCounts[] {
    return [...this.#counts.values()].map((counts) => ({ ...counts }));
  }
}

function isDelivered({ verdict }: AttemptResult): boolean {
  return verdict === 'delivered';
}

function wasDelivered({ isDelivered }: EndpointDeliveryState): boolean {
  return isDelivered === true;
}

function lastReason(
  attempts: readonly AttemptResult[],
  before: readonly EndpointDeliveryState[],
): string | undefined {
  const last = attempts.filter((attempt) => !isDelivered(attempt)).at(-1);
  if (last) return codeOfResult(last);
  const earlier = before.find((state) => state.attempts > 0 && !wasDelivered(state));
  return earlier && codeOfResult(earlier);
}
