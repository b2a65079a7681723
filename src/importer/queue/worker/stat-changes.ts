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
  readonly #latency: Uint32Array;
  #before = new Map<string, number>();
  readonly #latencyBefore: Uint32Array;

  /** `urls`: those of the target, without queries; `latency`: memory of a `Histogram`. */
  constructor(urls: readonly string[], latency: SharedArrayBuffer) {
    this.#urls = urls;
    this.#latency = new Uint32Array(latency);
    this.#latencyBefore = new Uint32Array(this.#latency.length);
  }

  next(now: Counted): StatChanges {
    const sums = this.#sums(now);
    const changes: Record<string, number> = {};
    for (const [name, value] of sums) {
      const change = value - (this.#before.get(name) ?? 0);
      if (change !== 0) changes[name] = change;
    }
    this.#before = sums;
    this.#addLatency(changes);
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

  /** Without an object per bucket: there are 1,200, and many commits a second. */
  #addLatency(changes: Record<string, number>): void {
    for (let bucket = 0; bucket < this.#latency.length; bucket++) {
      const count = this.#latency[bucket]!;
      const change = count - this.#latencyBefore[bucket]!;
      if (change === 0) continue;
      changes[`latency:${bucket}`] = change;
      this.#latencyBefore[bucket] = count;
    }
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
