import type { Clock } from '../clock.js';
import { CommitTimer } from './commit-timer.js';
import type { StateFile } from './state-file.js';

/** A part of a group: written within the group's transaction, and notified of the result. */
export interface Change {
  /** About how many rows it writes. */
  readonly rows: number;
  /** Runs within a transaction; runs again if that was rolled back. */
  write(): void;
  /** Called when it is durable. */
  committed(): void;
  /** Called when nothing of it was written. Without this method, it is retried with the next group. */
  failed?(error: unknown): void;
}

const group = { rows: 500, ms: 5, delayPerCommit: 4 };
/** The minimum delay of a change that is not urgent. */
const notUrgentMs = 20;
/** The delay before a change that must not be lost is retried after a failure. */
const retryMs = 1_000;

export interface GroupCommitOptions {
  readonly file: Pick<StateFile, 'transaction' | 'probe'>;
  readonly clock: Clock;
  /** Runs at the start of each transaction. */
  readonly writeFirst: () => void;
  /** Runs at the end of each transaction. */
  readonly writeLast: () => void;
  readonly onCommit: () => void;
  readonly onFailure: (error: unknown) => void;
  /** Called with what `committed` or `onCommit` has thrown, which is a defect: the group is durable. */
  readonly onDefect: (error: unknown) => void;
}

/** Collects changes and commits them together, since each commit waits for the disk. */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  readonly #timer: CommitTimer;
  #changes: Change[] = [];
  #hasFailed = false;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
    this.#timer = new CommitTimer(options.clock, () => this.commit(), group);
  }

  /** `isUrgent`: a caller waits for the commit. */
  add(change: Change, isUrgent: boolean): void {
    this.#changes.push(change);
    const isFull = this.#timer.add(change.rows, isUrgent ? 0 : notUrgentMs);
    // Not at once: the caller continues first.
    if (isFull) this.#timer.callWithin(0);
  }

  /** Commits all changes now. The callbacks get the result; nothing is thrown. */
  commit(): void {
    this.#timer.stop();
    if (this.#changes.length === 0 && !this.#hasFailed) return;
    const changes = this.#changes;
    this.#changes = [];
    try {
      this.#timer.commit(() => this.#options.file.transaction(() => this.#write(changes)));
    } catch (error) {
      this.#handleFailure(changes, error);
      return;
    }
    this.#hasFailed = false;
    this.#notify(this.#options.onCommit);
    for (const change of changes) this.#notify(() => change.committed());
  }

  /** Commits for the last time. */
  end(): void {
    this.commit();
    this.#timer.stop();
  }

  #write(changes: readonly Change[]): void {
    this.#options.writeFirst();
    // After a failure without changes to retry: checks whether the file can be written now.
    if (changes.length === 0) this.#options.file.probe();
    for (const change of changes) change.write();
    this.#options.writeLast();
  }

  /** Calls one callback; if it throws, the others are still called. */
  #notify(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#options.onDefect(error);
    }
  }

  #handleFailure(changes: readonly Change[], error: unknown): void {
    this.#options.onFailure(error);
    for (const change of changes) {
      if (change.failed) change.failed(error);
      else this.#changes.push(change);
    }
    // Without changes, too: clients may wait until `onCommit` reports that events can be stored again.
    this.#hasFailed = true;
    this.#timer.callWithin(retryMs);
  }
}
