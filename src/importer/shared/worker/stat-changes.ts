import type { ProgressSnapshot } from '../../workers/messages.js';
import type { StatChanges } from '../item.js';

/** Adds counts by name; names whose sum is 0 are left out. */
export function addStats(...all: readonly StatChanges[]): StatChanges {
  const sums = new Map<string, number>();
  for (const stats of all) {
    for (const [name, value] of Object.entries(stats)) {
      sums.set(name, (sums.get(name) ?? 0) + value);
    }
  }
  return Object.fromEntries([...sums].filter(([, value]) => value !== 0));
}

type Counted = Pick<ProgressSnapshot, 'counts' | 'bytes' | 'retries' | 'reasons' | 'urls'>;

/** Turns what one execution counts from its start into changes since the last time. */
export class StatDeltas {
  readonly #urls: readonly string[];
  #before = new Map<string, number>();

  /** `urls`: those of the target, without queries. */
  constructor(urls: readonly string[]) {
    this.#urls = urls;
  }

  next(now: Counted): StatChanges {
    const sums = this.#sums(now);
    const changes: Record<string, number> = {};
    for (const [name, value] of sums) {
      const change = value - (this.#before.get(name) ?? 0);
      if (change !== 0) changes[name] = change;
    }
    this.#before = sums;
    return Object.assign(changes, lastReasons(now, changes, this.#urls));
  }

  #sums({ counts, bytes, retries, reasons, urls }: Counted): Map<string, number> {
    const sums = new Map<string, number>(Object.entries({ ...counts, bytes, retries }));
    for (const { code, count } of reasons) sums.set(`reason:${code}`, count);
    for (const { url, delivered, failed } of urls) {
      const index = this.#urls.indexOf(url);
      sums.set(`url:${index}:delivered`, delivered);
      sums.set(`url:${index}:failed`, failed);
    }
    return sums;
  }
}

/** Turns the durations that one execution counts from its start into changes since the last time. */
export class LatencyDeltas {
  readonly #counts: Uint32Array;
  readonly #before: Uint32Array;

  /** `latency`: memory of a `Histogram`. */
  constructor(latency: SharedArrayBuffer) {
    this.#counts = new Uint32Array(latency);
    this.#before = new Uint32Array(this.#counts.length);
  }

  /** The buckets that have changed, each with its change. */
  next(): Record<number, number> {
    const changes: Record<number, number> = {};
    for (let bucket = 0; bucket < this.#counts.length; bucket++) {
      const change = this.#counts[bucket]! - this.#before[bucket]!;
      if (change === 0) continue;
      changes[bucket] = change;
      this.#before[bucket]! += change;
    }
    return changes;
  }
}

/** `url:<index>:reason:<code>`: failures of a URL by the last reason that was known when they were counted. */
function lastReasons({ urls }: Counted, changes: StatChanges, all: readonly string[]): StatChanges {
  const reasons: Record<string, number> = {};
  for (const { url, lastReason } of urls) {
    const index = all.indexOf(url);
    const failed = changes[`url:${index}:failed`];
    if (failed !== undefined && lastReason !== null)
      reasons[`url:${index}:reason:${lastReason}`] = failed;
  }
  return reasons;
}
