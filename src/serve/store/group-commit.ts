import type { Clock } from '../../clock.js';
import type { StateFile } from '../../storage/state-file.js';

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

/** A group is committed when it has so many rows, or so long after its first change. */
const groupRows = 500;
const groupMs = 5;
/** Nobody waits for what is only to be kept in mind. */
const unhurriedMs = 20;
/** A commit blocks everything else: where the disk is slow, groups are given so many times longer. */
const groupMsPerCommitMs = 4;
const longestGroupMs = 50;
/** How soon a change that must not be lost is tried again after a failure. */
const retryMs = 1_000;

export interface GroupCommitOptions {
  readonly connection: Pick<StateFile, 'transaction'>;
  readonly clock: Clock;
  /** Runs at the start of each transaction. */
  readonly writeFirst: () => void;
  /** Runs at the end of each transaction. */
  readonly writeLast: () => void;
  /** Writes something that changes nothing: to see whether it can be written again. */
  readonly probe: () => void;
  readonly onCommit: () => void;
  readonly onFailure: (error: unknown) => void;
  /** Told what `committed` or `onCommit` has thrown, which is a defect: what was written is durable. */
  readonly onDefect: (error: unknown) => void;
}

/** Gathers changes and commits them together, since each commit waits for the disk. */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #changes: Change[] = [];
  #rows = 0;
  #groupMs = groupMs;
  /** By the monotonic clock. */
  #dueAt = Infinity;
  #cancel: (() => void) | undefined;
  #hasFailed = false;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** `isUrgent`: somebody waits for it. */
  add(change: Change, isUrgent: boolean): void {
    this.#changes.push(change);
    this.#rows += change.rows;
    if (this.#rows >= groupRows) this.#commitAfter(0);
    else this.#commitAfter(isUrgent ? this.#groupMs : Math.max(unhurriedMs, this.#groupMs));
  }

  /** Commits now what was gathered. Who waits is told; nothing is thrown. */
  commit(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#dueAt = Infinity;
    if (this.#changes.length === 0 && !this.#hasFailed) return;
    const { clock } = this.#options;
    const changes = this.#changes;
    this.#changes = [];
    this.#rows = 0;
    const startedAt = clock.monotonic();
    try {
      this.#options.connection.transaction(() => {
        this.#options.writeFirst();
        if (changes.length === 0) this.#options.probe();
        for (const change of changes) change.write();
        this.#options.writeLast();
      });
    } catch (error) {
      this.#giveBack(changes, error);
      return;
    }
    this.#hasFailed = false;
    const commitMs = clock.monotonic() - startedAt;
    this.#groupMs = Math.min(Math.max(groupMs, commitMs * groupMsPerCommitMs), longestGroupMs);
    this.#tell(this.#options.onCommit);
    for (const change of changes) this.#tell(() => change.committed());
  }

  /** One that throws keeps no other from being told. */
  #tell(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#options.onDefect(error);
    }
  }

  /** Commits for the last time. */
  end(): void {
    this.commit();
    this.#cancel?.();
  }

  #commitAfter(delayMs: number): void {
    const { clock } = this.#options;
    const dueAt = clock.monotonic() + delayMs;
    if (dueAt >= this.#dueAt) return;
    this.#dueAt = dueAt;
    this.#cancel?.();
    this.#cancel = clock.after(delayMs, () => this.commit());
  }

  #giveBack(changes: readonly Change[], error: unknown): void {
    this.#options.onFailure(error);
    for (const change of changes) {
      if (change.failed) change.failed(error);
      else this.#changes.push(change);
    }
    // Nobody may send anything until it is told that events can be stored again.
    this.#hasFailed = true;
    this.#commitAfter(retryMs);
  }
}
