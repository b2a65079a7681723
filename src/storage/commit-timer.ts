import type { Clock } from '../clock.js';

/** How many outcomes are committed together, and how long the first of them waits. */
export interface CommitGroup {
  readonly rows: number;
  readonly ms: number;
}

const defaultGroup: CommitGroup = { rows: 500, ms: 5 };
/** A commit blocks everything else: where it is slow, groups are given so many times longer. */
const groupMsPerCommitMs = 10;
const longestGroupMs = 50;

/** Says when what was recorded is to be committed: with so many rows, or when the first has waited. */
export class CommitTimer {
  readonly #clock: Clock;
  readonly #group: CommitGroup;
  readonly #onDue: () => void;
  #groupMs: number;
  #rows = 0;
  #cancel: (() => void) | undefined;

  /** `onDue` is called when it is time, and is to commit within `during`. */
  constructor(clock: Clock, onDue: () => void, group = defaultGroup) {
    this.#clock = clock;
    this.#group = group;
    this.#groupMs = group.ms;
    this.#onDue = onDue;
  }

  /** Recorded since the last commit. */
  get rows(): number {
    return this.#rows;
  }

  /** One more was recorded. */
  add(): void {
    this.#rows++;
    if (this.#rows >= this.#group.rows) this.#onDue();
    else this.#cancel ??= this.#clock.after(this.#groupMs, this.#onDue);
  }

  /** Nothing need be committed until more is recorded. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** Does what commits all rows. */
  during(commit: () => void): void {
    const startedAt = performance.now();
    commit();
    this.#rows = 0;
    const tookMs = performance.now() - startedAt;
    this.#groupMs = Math.min(Math.max(this.#group.ms, tookMs * groupMsPerCommitMs), longestGroupMs);
  }
}
