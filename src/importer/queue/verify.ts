import { systemClock } from '../../clock.js';
import { UsageError } from '../../errors.js';
import { printable } from '../../output/printable.js';
import { chunksOf } from '../../collections/chunks.js';
import type { BullQueues } from './bull-queues.js';
import { countDifferences } from './count-differences.js';
import type { QueueConnection } from './connection.js';
import type { ItemKind, RangeItem } from './item.js';
import type { ItemStore } from './item-store.js';
import { RunKeys, takeoversField } from './keys.js';
import { planFormat } from './plan.js';
import { countRanges, rangesOf } from './plan-ranges.js';
import type { VerifyResult } from './queue-server.js';
import type { RunRecord } from './run-record.js';
import type { RunStore } from './run-store.js';

/** Items that are asked for in one round trip. */
const chunkLength = 1_000;
/** Workers store a batch first, and make its job next. */
const makeJobWithinMs = 1_000;

export interface VerifyOptions {
  readonly connection: QueueConnection;
  readonly queues: BullQueues;
  readonly items: ItemStore;
  readonly runs: RunStore;
  readonly prefix: string;
}

/** Compares what the server holds of a run with its plan, and puts back what is missing. */
export class RunVerifier {
  readonly #options: VerifyOptions;

  constructor(options: VerifyOptions) {
    this.#options = options;
  }

  async verify(run: string): Promise<VerifyResult> {
    const { connection, runs, prefix } = this.#options;
    const record = await runs.get(run);
    checkFormat(record);
    // Before anything is put back: what runs again changes its counts.
    const differences = await countDifferences(connection, record, prefix);
    const restoredRanges = await this.#restoreRanges(record);
    if (record.total === null) await runs.endPlanning(run, countRanges(record.plan));
    const restoredRetries = await this.#restoreRetries(run);
    await runs.reopenIfNeeded(run);
    return { restoredRanges, restoredRetries, differences };
  }

  async #restoreRanges({ id: run, plan }: RunRecord): Promise<number> {
    let restored = 0;
    for (const part of chunksOf(rangesOf(plan), chunkLength)) {
      const states = await this.#states(run, 'ranges', part);
      const missing = part.filter((_range, index) => states[index] === 'missing');
      if (missing.length > 0) await this.#addRanges(run, missing);
      const failed = part.filter((_range, index) => states[index] === 'failed');
      for (const [id] of failed) await this.#retryFailed(run, 'ranges', id);
      restored += missing.length + failed.length;
    }
    return restored;
  }

  async #addRanges(run: string, ranges: readonly (readonly [string, RangeItem])[]): Promise<void> {
    const { connection, items, prefix } = this.#options;
    const ids = ranges.map(([id]) => id);
    // The set may still have a job whose data is gone.
    const completed = new RunKeys(prefix, run).queue('ranges', 'completed');
    await connection.run(() => connection.client.zrem(completed, ...ids));
    await items.addRanges(run, new Map(ranges));
  }

  async #restoreRetries(run: string): Promise<number> {
    const { connection, items, prefix } = this.#options;
    const { retries } = new RunKeys(prefix, run);
    const ids = await connection.run(() => connection.client.hkeys(retries));
    let restored = 0;
    const batches = ids.map((id) => [id] as const);
    for (const part of chunksOf(batches, chunkLength)) {
      const missing = await this.#missingRetries(run, part);
      await items.scheduleRetries(run, missing);
      const states = await this.#states(run, 'retries', part);
      const failed = part.filter((_batch, index) => states[index] === 'failed');
      for (const [id] of failed) await this.#retryFailed(run, 'retries', id);
      restored += missing.length + failed.length;
    }
    return restored;
  }

  /** Batches without a job: for good, not only as long as a worker needs to make it. */
  async #missingRetries(run: string, ids: readonly (readonly [string])[]): Promise<string[]> {
    const first = await this.#withoutJob(run, ids);
    if (first.length === 0) return [];
    await new Promise<void>((resolve) => systemClock.after(makeJobWithinMs, resolve));
    const again = await this.#withoutJob(run, first);
    return again.map(([id]) => id);
  }

  async #withoutJob<T extends readonly [string]>(run: string, ids: readonly T[]): Promise<T[]> {
    const keys = new RunKeys(this.#options.prefix, run);
    // In one step: a batch that is done has neither a row nor a job.
    const found = await this.#options.connection.transaction((transaction) => {
      for (const [id] of ids) transaction.hexists(keys.retries, id).exists(keys.job('retries', id));
    });
    return ids.filter((_id, index) => found[2 * index] === 1 && found[2 * index + 1] === 0);
  }

  async #states(
    run: string,
    kind: ItemKind,
    items: readonly (readonly [id: string, ...unknown[]])[],
  ): Promise<('missing' | 'failed' | 'there')[]> {
    const keys = new RunKeys(this.#options.prefix, run);
    const found = await this.#options.connection.pipeline((pipeline) => {
      for (const [id] of items) {
        pipeline.exists(keys.job(kind, id)).zscore(keys.queue(kind, 'failed'), id);
      }
    });
    return items.map((_item, index) => {
      if (found[2 * index] !== 1) return 'missing';
      return found[2 * index + 1] === null ? 'there' : 'failed';
    });
  }

  /** Its progress stays, so that it goes on where it was and its counts are not added again. */
  async #retryFailed(run: string, kind: ItemKind, id: string): Promise<void> {
    const { connection, queues, prefix } = this.#options;
    const queue = queues.of(run, kind);
    await connection.run(async () => {
      const job = await queue.getJob(id);
      if (!(await job?.isFailed())) return;
      // Whoever asks for it may have given the workers more memory.
      await connection.client.hdel(new RunKeys(prefix, run).job(kind, id), takeoversField);
      await job!.retry('failed', { resetAttemptsMade: true });
    });
  }
}

function checkFormat({ id, plan: { format, program } }: RunRecord): void {
  if (format === planFormat) return;
  throw new UsageError(
    `run ${id} was planned by evfwd ${printable(program)}, in a format that this version does not know; use that version`,
    'plan_format',
  );
}
