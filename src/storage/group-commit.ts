import type { Clock } from '../clock.js';
import { CommitTimer } from './commit-timer.js';
import type { OnDisk, StateFile } from './state-file.js';

/** A part of a group: written within the group's transaction, and notified of the result. */
export interface Change {
  /** About how many rows it writes. */
  readonly rows: number;
  /** About how many bytes it adds to the file; default 0. */
  readonly bytes?: number;
  /** Runs within a transaction; runs again if that was rolled back. */
  write(): void;
  /** Called at the end of the transaction: reads see it, and it survives a crash of the process. */
  committed?(): void;
  /** Called once it is on the disk, too; the changes of all groups in the order of writing. */
  durable?(): void;
  /**
   * Called when nothing of it was written, and when it was written but could not be flushed to the
   * disk; then `durable` follows once it is. Without this method, what was not written is retried with
   * the next group.
   */
  failed?(error: unknown): void;
}

/** Commits do not wait for the disk, so groups may be small, and the delay need not grow with them. */
const group = { rows: 500, ms: 1, delayPerCommit: 0 };
/** The minimum delay of a change that is not urgent. */
const notUrgentMs = 20;
/** The delay before a change that must not be lost is retried after a failure. */
const retryMs = 1_000;

export interface GroupCommitOptions {
  readonly file: Pick<
    StateFile,
    'transaction' | 'probe' | 'flush' | 'rescueUnflushed' | 'makeRoom'
  >;
  readonly clock: Clock;
  /** Runs at the start of each transaction. */
  readonly writeFirst: () => void;
  /** Runs at the end of each transaction. */
  readonly writeLast: () => void;
  /** Called after each transaction, which may not be on the disk yet. */
  readonly onCommit: () => void;
  /** Called after `onCommit`, if no change is left that could not be written. */
  readonly onAllWritten: () => void;
  /** Called for each transaction that failed, and when what was written could not be flushed. */
  readonly onFailure: (error: unknown) => void;
  /** Called with what a callback has thrown, which is a defect: the group is written. */
  readonly onDefect: (error: unknown) => void;
}

/**
 * Collects changes and commits them together, since each commit costs the same whatever it contains.
 * Commits are flushed to the disk in the background, while the next changes are collected; several
 * commits may share one flush.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  readonly #timer: CommitTimer;
  #changes: Change[] = [];
  /** Written and not known to be on the disk, in the order of writing. */
  #unflushed: Change[] = [];
  /**
   * How many changes have been reported as durable, ever: while a flush is awaited, `commit` may report
   * what it covers.
   */
  #durable = 0;
  #isFlushing = false;
  /** Nothing could be written, or what was written could not be flushed. */
  #hasFailed = false;
  /** Until `#rescue` has succeeded. */
  #hasFlushFailed = false;
  #hasEnded = false;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
    this.#timer = new CommitTimer(options.clock, () => this.#commitGroup(), group);
  }

  /** `isUrgent`: a caller waits for the commit. */
  add(change: Change, isUrgent: boolean): void {
    this.#changes.push(change);
    const isFull = this.#timer.add(change.rows, isUrgent ? 0 : notUrgentMs);
    // In a microtask: after the caller has continued, and before the event loop reads more requests,
    // whose events would take memory until the commit.
    if (isFull) queueMicrotask(() => this.#commitIfFull());
  }

  /** About how many rows the changes have that are not written. */
  get unwrittenRows(): number {
    return this.#changes.reduce((sum, { rows }) => sum + rows, 0);
  }

  /** Makes all changes durable now. The callbacks get the result; nothing is thrown. */
  commit(): void {
    if (this.#writeGroup('at once')) this.#reportAll();
  }

  /** Commits for the last time. */
  end(): void {
    this.#hasEnded = true;
    this.commit();
    this.#timer.stop();
  }

  /** Each `add` to a full group queues a call; the first one commits, and the others find few rows. */
  #commitIfFull(): void {
    if (this.#timer.isFull) this.#commitGroup();
  }

  #commitGroup(): void {
    this.#writeGroup('later');
    if (!this.#isFlushing) void this.#flush();
  }

  /** Writes the changes that were added. Returns whether everything so far is as durable as asked. */
  #writeGroup(onDisk: OnDisk): boolean {
    this.#timer.stop();
    const isFlushed = onDisk === 'later' || this.#unflushed.length === 0;
    if (this.#changes.length === 0 && isFlushed && !this.#hasFailed) return true;
    if (this.#hasFlushFailed && !this.#rescue()) return false;
    const changes = this.#takeChanges();
    const { file } = this.#options;
    // A commit that writes nothing is not flushed, and neither is what was written before it.
    const probes = changes.length === 0 || (onDisk === 'at once' && this.#unflushed.length > 0);
    try {
      this.#timer.commit(() => file.transaction(() => this.#write(changes, probes), onDisk));
    } catch (error) {
      this.#handleFailure(changes, error);
      return changes.length > 1 && this.#writeParts(onDisk);
    }
    this.#noteWritten(changes);
    this.#noteAllWritten();
    return true;
  }

  /**
   * Writes what there is space for of a group that has failed, in smaller transactions. Changes that only delete come
   * first, then the small ones. Returns whether all of it is written.
   */
  #writeParts(onDisk: OnDisk): boolean {
    const left = this.#takeChanges().sort((one, other) => (one.bytes ?? 0) - (other.bytes ?? 0));
    let hasMadeRoom = false;
    for (let size = Math.ceil(left.length / 2); left.length > 0;) {
      const part = left.slice(0, size);
      const error = this.#errorOfWriting(part, onDisk);
      if (error === undefined) {
        left.splice(0, size);
        hasMadeRoom = false;
        this.#noteWritten(part);
      } else if (size > 1) {
        size = Math.ceil(size / 2);
      } else if (!hasMadeRoom) {
        hasMadeRoom = true;
        this.#options.file.makeRoom();
      } else {
        this.#handleFailure(left, error);
        return false;
      }
    }
    // Callbacks may have added some.
    if (this.#changes.length > 0) return false;
    this.#noteAllWritten();
    return true;
  }

  #errorOfWriting(part: readonly Change[], onDisk: OnDisk): unknown {
    try {
      this.#options.file.transaction(() => this.#write(part, false), onDisk);
      return undefined;
    } catch (error) {
      this.#notify(() => this.#options.onFailure(error));
      return error;
    }
  }

  #noteWritten(changes: readonly Change[]): void {
    this.#unflushed.push(...changes);
    this.#notify(this.#options.onCommit);
    for (const change of changes) this.#notify(() => change.committed?.());
  }

  #noteAllWritten(): void {
    this.#hasFailed = false;
    this.#notify(this.#options.onAllWritten);
  }

  #takeChanges(): Change[] {
    const changes = this.#changes;
    this.#changes = [];
    return changes;
  }

  /** Flushes until everything that was written is on the disk. */
  async #flush(): Promise<void> {
    this.#isFlushing = true;
    while (this.#unflushed.length > 0 && !this.#hasFlushFailed) {
      const written = this.#durable + this.#unflushed.length;
      try {
        await this.#options.file.flush();
        this.#reportUpTo(written);
      } catch (error) {
        this.#handleFlushFailure(error);
      }
    }
    this.#isFlushing = false;
  }

  /** Before other changes are taken, since callbacks may add some. Returns whether it has succeeded. */
  #rescue(): boolean {
    try {
      this.#options.file.rescueUnflushed();
    } catch (error) {
      this.#handleFailure(this.#takeChanges(), error);
      return false;
    }
    this.#hasFlushFailed = false;
    this.#reportAll();
    return true;
  }

  #reportAll(): void {
    this.#reportUpTo(this.#durable + this.#unflushed.length);
  }

  /** Reports the first `count` of all changes so far as durable, unless they were reported before. */
  #reportUpTo(count: number): void {
    // One by one: a callback may commit, and the order has to stay.
    while (this.#durable < count && this.#unflushed.length > 0) {
      const change = this.#unflushed.shift()!;
      this.#durable++;
      this.#notify(() => change.durable?.());
    }
  }

  /** `probes`: writes to the file in any case, also to check whether it can be written after a failure. */
  #write(changes: readonly Change[], probes: boolean): void {
    this.#options.writeFirst();
    if (probes) this.#options.file.probe();
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
    this.#notify(() => this.#options.onFailure(error));
    for (const change of changes) {
      if (change.failed) this.#notify(() => change.failed?.(error));
      else this.#changes.push(change);
    }
    this.#retryLater();
  }

  /** A later flush would succeed, although the disk may lack parts of what was written before it. */
  #handleFlushFailure(error: unknown): void {
    this.#hasFlushFailed = true;
    this.#notify(() => this.#options.onFailure(error));
    for (const change of this.#unflushed) this.#notify(() => change.failed?.(error));
    this.#retryLater();
  }

  /** Without changes, too: clients may wait until `onCommit` reports that events can be stored again. */
  #retryLater(): void {
    this.#hasFailed = true;
    if (!this.#hasEnded) this.#timer.callWithin(retryMs);
  }
}
