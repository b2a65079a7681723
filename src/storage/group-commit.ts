import type { Clock } from '../clock.js';
import { CommitTimer } from './commit-timer.js';
import type { StateFile } from './state-file.js';

/** A part of a group: written within its transaction, and told what has become of it. */
export interface Change {
  /** About how many rows it writes. */
  readonly rows: number;
  /** Runs within a transaction. It may run again, when an earlier time was rolled back. */
  write(): void;
  /** It is durable. */
  committed(): void;
  /** Nothing of it was written. Without this, it is tried again with the next group. */
  failed?(error: unknown): void;
}

const group = { rows: 500, ms: 5, delayPerCommit: 4 };
/** How long a change waits at least that nobody waits for. */
const unhurriedMs = 20;
/** How soon a change that must not be lost is tried again after a failure. */
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
  /** Told what `committed` or `onCommit` has thrown, which is a defect: what was written is durable. */
  readonly onDefect: (error: unknown) => void;
}

/** Gathers changes and commits them together, since each commit waits for the disk. */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  readonly #timer: CommitTimer;
  #changes: Change[] = [];
  #hasFailed = false;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
    this.#timer = new CommitTimer(options.clock, () => this.commit(), group);
  }

  /** `isUrgent`: somebody waits for it. */
  add(change: Change, isUrgent: boolean): void {
    this.#changes.push(change);
    const isFull = this.#timer.add(change.rows, isUrgent ? 0 : unhurriedMs);
    // Not at once: whoever adds it goes on first.
    if (isFull) this.#timer.callWithin(0);
  }

  /** Commits now what was gathered. Who waits is told; nothing is thrown. */
  commit(): void {
    this.#timer.stop();
    if (this.#changes.length === 0 && !this.#hasFailed) return;
    const changes = this.#changes;
    this.#changes = [];
    try {
      this.#timer.commit(() => this.#options.file.transaction(() => this.#write(changes)));
    } catch (error) {
      this.#giveBack(changes, error);
      return;
    }
    this.#hasFailed = false;
    this.#tell(this.#options.onCommit);
    for (const change of changes) this.#tell(() => change.committed());
  }

  /** Commits for the last time. */
  end(): void {
    this.commit();
    this.#timer.stop();
  }

  #write(changes: readonly Change[]): void {
    this.#options.writeFirst();
    // After a failure without changes to try again: whether the file can be written now.
    if (changes.length === 0) this.#options.file.probe();
    for (const change of changes) change.write();
    this.#options.writeLast();
  }

  /** One that throws keeps no other from being told. */
  #tell(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#options.onDefect(error);
    }
  }

  #giveBack(changes: readonly Change[], error: unknown): void {
    this.#options.onFailure(error);
    for (const change of changes) {
      if (change.failed) change.failed(error);
      else this.#changes.push(change);
    }
    // Nobody may send anything until it is told that events can be stored again.
    this.#hasFailed = true;
    this.#timer.callWithin(retryMs);
  }
}
