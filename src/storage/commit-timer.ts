import type { Clock } from '../clock.js';

/** How much is committed together. */
export interface CommitGroup {
  readonly rows: number;
  /** How long the first of them waits at most, in milliseconds. */
  readonly ms: number;
  /** A group waits at least this many times the duration of a commit, which blocks everything. 0: `ms`, however long it took. Default 10. */
  readonly delayPerCommit?: number;
}

const defaultGroup: CommitGroup = { rows: 500, ms: 5 };
const maxDelayMs = 50;

/** Determines when to commit rows: when there are enough, or when the first has waited long enough. */
export class CommitTimer {
  readonly #clock: Clock;
  readonly #group: CommitGroup;
  readonly #onDue: () => void;
  #delayMs: number;
  #rows = 0;
  /** Of the timer that is set, by the monotonic clock. */
  #dueAt = Infinity;
  #cancel: (() => void) | undefined;

  /** `onDue` is called when rows have waited long enough, and must call `commit`. */
  constructor(clock: Clock, onDue: () => void, group = defaultGroup) {
    this.#clock = clock;
    this.#group = group;
    this.#delayMs = group.ms;
    this.#onDue = onDue;
  }

  /** Rows added since the last commit. */
  get rows(): number {
    return this.#rows;
  }

  /** Whether there are enough rows to commit them now. */
  get isFull(): boolean {
    return this.#rows >= this.#group.rows;
  }

  /** Adds rows that may wait for `minMs` or longer. Returns whether the group is full. */
  add(rows = 1, minMs = 0): boolean {
    this.#rows += rows;
    this.callWithin(Math.max(this.#delayMs, minMs));
    return this.isFull;
  }

  /** Calls `onDue` after `delayMs`, or earlier if that is already scheduled. */
  callWithin(delayMs: number): void {
    const dueAt = this.#clock.monotonic() + delayMs;
    if (dueAt >= this.#dueAt) return;
    this.stop();
    this.#dueAt = dueAt;
    this.#cancel = this.#clock.after(delayMs, this.#onDue);
  }

  /** Stops the timer until more rows are added. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#dueAt = Infinity;
  }

  /** Runs `work`, which commits all rows. The longer it takes, the longer the next group waits. */
  commit(work: () => void): void {
    this.stop();
    this.#rows = 0;
    const { ms, delayPerCommit = 10 } = this.#group;
    const startedAt = this.#clock.monotonic();
    work();
    const tookMs = this.#clock.monotonic() - startedAt;
    this.#delayMs = Math.min(Math.max(ms, tookMs * delayPerCommit), maxDelayMs);
  }
}
