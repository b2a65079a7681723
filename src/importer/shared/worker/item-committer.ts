import { systemClock, type Clock } from '../../../clock.js';
import type { Commit } from '../../workers/messages.js';
import type { ItemCommit, ItemProgress } from '../item.js';
import type { RunStore } from '../run-store.js';
import type { HeldItem } from './held-item.js';
import { fromServer } from './server-failure.js';
import { retryBatches, shifted } from './retry-batches.js';
import { addStats, type LatencyDeltas, type StatDeltas } from './stat-changes.js';

export interface ItemCommitterOptions {
  readonly server: Pick<RunStore, 'commit'>;
  readonly held: HeldItem;
  /** The index of its file in the plan; a job has no other file, and calls it 0. */
  readonly file: number;
  readonly before: ItemProgress;
  readonly deltas: StatDeltas;
  readonly latency: LatencyDeltas;
  /** By how many milliseconds the server's clock is ahead of the thread's. */
  readonly aheadMs: () => number;
  /** Called with each commit that is stored, before the thread may go on. */
  readonly onStored: (commit: Commit) => Promise<void> | void;
  /** Default: the system's. */
  readonly clock?: Pick<Clock, 'monotonic'>;
}

/** Commits have the durations of responses once in so long, as they change dozens of rows of the totals. */
const latencyIntervalMs = 1_000;

/** Stores what the execution of a range commits, strictly one after the other. */
export class ItemCommitter {
  readonly #options: ItemCommitterOptions;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #progress: ItemProgress;
  #latencyDueAt = -Infinity;
  #stored: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(options: ItemCommitterOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#progress = options.before;
  }

  accept(commit: Commit): void {
    this.#stored = this.#stored
      .then(() => this.#store(commit))
      .catch((error: unknown) => this.#fail(error));
  }

  /**
   * Waits until all commits are stored, or lost, then stores the durations that they had not.
   * @throws the error of one that cannot be stored
   */
  async settle(): Promise<void> {
    await this.#stored;
    if (this.#failure !== undefined) throw this.#failure as Error;
    await this.#storeLatency();
  }

  async #store(commit: Commit): Promise<void> {
    const { held, onStored } = this.#options;
    if (held.isLost || this.#failure !== undefined) return;
    if (await this.#send(this.#changes(commit))) await onStored(commit);
  }

  /** If nothing was stored, the next holder sends all events again, and has their durations. */
  async #storeLatency(): Promise<void> {
    const { held, latency, before } = this.#options;
    if (held.isLost || this.#progress === before) return;
    const rest = latency.next();
    if (Object.keys(rest).length === 0) return;
    const progress = { ...this.#progress, sequence: this.#progress.sequence + 1 };
    await this.#send({
      progress,
      latency: rest,
      stats: {},
      deadLetters: [],
      putRetries: new Map(),
    });
  }

  /** Returns whether it was stored. */
  async #send(commit: ItemCommit): Promise<boolean> {
    const { server, held } = this.#options;
    const result = await fromServer(server.commit(held.ref, commit));
    if (result === 'lost') held.lose();
    else this.#progress = commit.progress;
    return result === 'stored';
  }

  #takeDueLatency(): ItemCommit['latency'] {
    const now = this.#clock.monotonic();
    if (now < this.#latencyDueAt) return {};
    this.#latencyDueAt = now + latencyIntervalMs;
    return this.#options.latency.next();
  }

  #changes({ snapshot, putRetries, addDeadLetters }: Commit): ItemCommit {
    const { held, file, deltas, aheadMs } = this.#options;
    const sequence = this.#progress.sequence + 1;
    const ahead = aheadMs();
    const rows = putRetries.map((row) => shifted(row, ahead, file));
    const batches = retryBatches(rows, (n) => `${held.ref.id}-${sequence}-${n}`);
    const stats = addStats(deltas.next(snapshot), { retrying: rows.length });
    const progress: ItemProgress = {
      sequence,
      last: lastLineIn(snapshot.checkpoint) ?? this.#progress.last,
      open: snapshot.checkpoint.open,
      counts: addStats(this.#progress.counts, stats),
    };
    return {
      ...{ progress, stats, latency: this.#takeDueLatency() },
      ...{ deadLetters: addDeadLetters, putRetries: batches },
    };
  }

  /** The item is still ours, so that its end can say why. */
  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#options.held.stop();
  }
}

function lastLineIn({ lastRead }: Commit['snapshot']['checkpoint']): ItemProgress['last'] {
  if (!lastRead) return null;
  const { line, offset, length, hash } = lastRead;
  return { line, offset, length, ...(hash !== undefined && { hash }) };
}
