import type { Commit } from '../../workers/messages.js';
import type { ItemProgress } from '../item.js';
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
}

/** Stores what the execution of a range commits, strictly one after the other. */
export class ItemCommitter {
  readonly #options: ItemCommitterOptions;
  #progress: ItemProgress;
  #stored: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(options: ItemCommitterOptions) {
    this.#options = options;
    this.#progress = options.before;
  }

  accept(commit: Commit): void {
    this.#stored = this.#stored
      .then(() => this.#store(commit))
      .catch((error: unknown) => this.#fail(error));
  }

  /** Resolves when all commits are stored, or lost. @throws the error of one that cannot be stored */
  async settle(): Promise<void> {
    await this.#stored;
    if (this.#failure !== undefined) throw this.#failure as Error;
  }

  async #store(commit: Commit): Promise<void> {
    const { server, held, onStored } = this.#options;
    if (held.isLost || this.#failure !== undefined) return;
    const { progress, ...changes } = this.#changes(commit);
    const result = await fromServer(server.commit(held.ref, { progress, ...changes }));
    if (result === 'lost') {
      held.lose();
      return;
    }
    this.#progress = progress;
    await onStored(commit);
  }

  #changes({ snapshot, putRetries, addDeadLetters }: Commit) {
    const { held, file, deltas, latency, aheadMs } = this.#options;
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
      ...{ progress, stats, latency: latency.next() },
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
