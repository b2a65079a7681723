import type { Clock } from '../clock.js';

/** How much is committed together. */
export interface CommitGroup {
  readonly rows: number;
  /** How long the first of them waits, in milliseconds. */
  readonly ms: number;
  /** A commit blocks everything else: where it is slow, groups wait for so many times as long. Default 10. */
  readonly delayPerCommit?: number;
}

const defaultGroup: CommitGroup = { rows: 500, ms: 5 };
const longestDelayMs = 50;

/** Says when rows are to be committed: when there are enough, or when the first has waited. */
export class CommitTimer {
  readonly #clock: Clock;
  readonly #group: CommitGroup;
  readonly #onDue: () => void;
  #delayMs: number;
  #rows = 0;
  /** Of the timer that is set. */
  #timerMs = Infinity;
  #cancel: (() => void) | undefined;

  /** `onDue` is called when rows have waited, and is to call `commit`. */
  constructor(clock: Clock, onDue: () => void, group = defaultGroup) {
    this.#clock = clock;
    this.#group = group;
    this.#delayMs = group.ms;
    this.#onDue = onDue;
  }

  /** Added since the last commit. */
  get rows(): number {
    return this.#rows;
  }

  /** Adds rows that may wait for `leastMs`, or longer. Returns whether the group has enough of them. */
  add(rows = 1, leastMs = 0): boolean {
    this.#rows += rows;
    this.callWithin(Math.max(this.#delayMs, leastMs));
    return this.#rows >= this.#group.rows;
  }

  /** Calls `onDue` after so long, unless it is to be called earlier. */
  callWithin(delayMs: number): void {
    if (delayMs >= this.#timerMs) return;
    this.stop();
    this.#timerMs = delayMs;
    this.#cancel = this.#clock.after(delayMs, this.#onDue);
  }

  /** `onDue` is not called until more is added. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#timerMs = Infinity;
  }

  /** Runs what commits all rows. The longer it takes, the longer the next ones wait. */
  commit(work: () => void): void {
    this.stop();
    this.#rows = 0;
    const { ms, delayPerCommit = 10 } = this.#group;
    const startedAt = this.#clock.monotonic();
    work();
    const tookMs = this.#clock.monotonic() - startedAt;
    this.#delayMs = Math.min(Math.max(ms, tookMs * delayPerCommit), longestDelayMs);
  }
}
