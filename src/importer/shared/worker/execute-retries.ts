import type { RetryRow } from '../../../ledger/retry-row.js';
import type { Commit } from '../../workers/messages.js';
import type { Range } from '../../../sources/range.js';
import type { ItemCommit, ItemProgress, RetryBatch } from '../item.js';
import type { HeldItem, ItemEnd } from './held-item.js';
import { isRereadable, jobFor, logAttempts, startItem, type ItemContext } from './item-context.js';
import { unchangedPath } from './planned-file.js';
import { batchOf, shifted, singleBatches } from './retry-batches.js';
import { fromServer } from './server-failure.js';
import { addStats, LatencyDeltas, StatDeltas } from './stat-changes.js';

/**
 * Sends the events of a batch once more. What has ended is stored in one step at the end; events that were
 * not attempted stay in the batch.
 *
 * @throws FileProblem when the file of the events is not the planned one
 */
export async function executeRetries(
  context: ItemContext,
  held: HeldItem,
  before: ItemProgress,
): Promise<ItemEnd> {
  const { server, record } = context;
  const batch = await fromServer(server.retryBatch(record.id, held.ref.id));
  // Its events had ended when another worker could not say so any more.
  if (!batch) return 'done';
  return new RetryExecution(context, held, batch, before).run();
}

class RetryExecution {
  readonly #context: ItemContext;
  readonly #held: HeldItem;
  readonly #batch: RetryBatch;
  readonly #before: ItemProgress;
  /** Of the plan: all events of a batch are from one file. */
  readonly #file: number;
  readonly #put = new Map<number, RetryRow>();
  readonly #ended = new Set<number>();
  readonly #deadLetters: Uint8Array[] = [];
  #snapshot: Commit['snapshot'] | undefined;
  #logged: Promise<void> = Promise.resolve();

  constructor(context: ItemContext, held: HeldItem, batch: RetryBatch, before: ItemProgress) {
    this.#context = context;
    this.#held = held;
    this.#batch = batch;
    this.#before = before;
    this.#file = batch.rows[0]?.file ?? 0;
  }

  async run(): Promise<ItemEnd> {
    const { record, files, urls } = this.#context;
    const planned = record.plan.files[this.#file]!;
    const job = {
      // Of what cannot be read by offsets, the rows have the text.
      ...jobFor(
        this.#context,
        planned,
        isRereadable(planned) ? unchangedPath(planned, files.roots) : planned.path,
      ),
      retries: this.#rows(),
    };
    const [deltas, latency] = [new StatDeltas(urls), new LatencyDeltas(job.latency)];
    const execution = startItem(this.#context, this.#held, {
      job,
      ranges: nothing(),
      onCommit: (commit) => {
        this.#note(commit);
        execution.durable(commit.snapshot.rows);
      },
    });
    await execution.ended.finally(() => this.#store(deltas, latency));
    if (this.#held.isLost) return 'lost';
    return this.#left.length === 0 ? 'done' : 'stopped';
  }

  /** By the clock of the thread, numbered from 1, of file 0. */
  #rows(): RetryRow[] {
    const behind = -this.#context.aheadMs();
    return this.#batch.rows.map((row, i) => ({ ...shifted(row, behind, 0), id: i + 1 }));
  }

  #note(commit: Commit): void {
    const { snapshot, putRetries, deleteRetries, addDeadLetters } = commit;
    this.#snapshot = snapshot;
    for (const row of putRetries) this.#put.set(row.id, row);
    for (const id of [...deleteRetries, ...putRetries.map((row) => row.id)]) this.#ended.add(id);
    this.#deadLetters.push(...addDeadLetters);
    this.#logged = this.#logged.then(() => logAttempts(this.#context.log, commit));
  }

  /** Events of the batch that were not attempted. */
  get #left(): readonly RetryRow[] {
    return this.#batch.rows.filter((_row, i) => !this.#ended.has(i + 1));
  }

  async #store(deltas: StatDeltas, latency: LatencyDeltas): Promise<void> {
    await this.#logged;
    if (!this.#snapshot || this.#ended.size === 0 || this.#held.isLost) return;
    const { server, aheadMs } = this.#context;
    const { id } = this.#held.ref;
    const ahead = aheadMs();
    const again = singleBatches(
      [...this.#put.values()].map((row) => shifted(row, ahead, this.#file)),
      id,
    );
    const left = this.#left;
    const stats = addStats(deltas.next(this.#snapshot), {
      retrying: again.size - this.#ended.size,
    });
    const progress: ItemProgress = {
      ...this.#before,
      sequence: this.#before.sequence + 1,
      counts: addStats(this.#before.counts, stats),
    };
    const commit: ItemCommit = {
      ...{ progress, stats, latency: latency.next(), deadLetters: this.#deadLetters },
      putRetries: left.length > 0 ? new Map([...again, [id, batchOf(left)]]) : again,
      ...(left.length === 0 && { deleteRetry: id }),
    };
    const result = await fromServer(server.commit(this.#held.ref, commit));
    if (result === 'lost') this.#held.lose();
  }
}

async function* nothing(): AsyncGenerator<Range> {
  // Retries are part of the job.
}
