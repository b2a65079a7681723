import type { AttemptResult } from '../../delivery/outcome.js';
import type { Committer } from '../../ledger/committer.js';
import { Histogram } from '../../ledger/histogram.js';
import type { Checkpoint } from '../../ledger/progress.js';
import type { RetryRow } from '../../ledger/retry-row.js';
import { RowCount } from '../../ledger/row-count.js';
import type { StateChanges, ImportStore } from '../../ledger/store.js';
import { withResolvers, type OpenPromise } from '../../with-resolvers.js';
import type {
  Job,
  WorkerReport,
  ProgressSnapshot,
  TaggedAttempt,
  EventProblem,
} from './messages.js';
import type { ReadLine } from './range-tracker.js';

interface PortCommitterOptions {
  /** This thread's own retries, in memory, from where it reads them when they are due. */
  readonly store: ImportStore;
  readonly job: Pick<Job, 'latency' | 'maxUncommitted' | 'reportsAttempts'>;
  /** What only the ledger and the source know. */
  readonly state: () => Pick<ProgressSnapshot, 'bytes' | 'waiting' | 'doneRanges'>;
  readonly post: (report: Extract<WorkerReport, { kind: 'commit' }>) => void;
}

/** Reports to the main thread, which has the store of the import, what to make durable. */
export class PortCommitter implements Committer {
  readonly #options: PortCommitterOptions;
  readonly #latency: Histogram;
  readonly #rowCount = new RowCount();
  /** Rows that were reported. */
  #rows = 0;
  /** Of these, the durable ones. */
  #durableRows = 0;
  #retries = 0;
  /** The last line that this thread has read. */
  #lastRead: ReadLine | undefined;
  #attempts: TaggedAttempt[] = [];
  #problems: EventProblem[] = [];
  #room: OpenPromise | undefined;
  #isStopped = false;

  constructor(options: PortCommitterOptions) {
    this.#options = options;
    this.#latency = new Histogram(options.job.latency);
  }

  attempt(result: AttemptResult, messageId: string): void {
    this.#latency.add(result.durationMs);
    if (result.attempt > 1) this.#retries++;
    if (this.#options.job.reportsAttempts) this.#attempts.push([result, messageId]);
  }

  problem(problem: EventProblem): void {
    this.#problems.push(problem);
  }

  commit(changes: StateChanges): void {
    const { putRetries, deleteRetries, addDeadLetters } = changes;
    const isKept = putRetries.length + deleteRetries.length > 0;
    if (isKept) this.#options.store.commit({ ...changes, addDeadLetters: [] });
    this.#rows += this.#rowCount.of(changes);
    this.#noteLastRead(changes.checkpoint);
    this.#options.post({
      kind: 'commit',
      snapshot: this.#snapshot(changes),
      putRetries: putRetries.map(detached),
      deleteRetries,
      addDeadLetters: addDeadLetters.map((line) => new Uint8Array(line)),
      attempts: this.#attempts,
      problems: this.#problems,
    });
    this.#attempts = [];
    this.#problems = [];
  }

  /** Notes that this many of the reported rows are durable. */
  durable(rows: number): void {
    this.#durableRows = rows;
    this.#resume();
  }

  /** Resolves `room`: nothing more is sent. */
  stop(): void {
    this.#isStopped = true;
    this.#resume();
  }

  room(unreported: number): Promise<void> | undefined {
    const rows = this.#rows + unreported - this.#durableRows;
    if (rows < this.#options.job.maxUncommitted || this.#isStopped) return undefined;
    this.#room ??= withResolvers();
    return this.#room.promise;
  }

  close(): void {
    this.#options.store.close();
  }

  #resume(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  #snapshot({ checkpoint: { open }, counts }: StateChanges): ProgressSnapshot {
    const { bytes, waiting, doneRanges } = this.#options.state();
    return {
      checkpoint: { lastRead: this.#lastRead, open },
      counts,
      bytes,
      waiting,
      doneRanges,
      rows: this.#rows,
      retries: this.#retries,
    };
  }

  /** A thread gets ranges in the order of the files, so the newest line is the last one. */
  #noteLastRead({ last }: Checkpoint): void {
    for (const [file, { line, offset }] of last) this.#lastRead = { file, line, offset };
  }
}

/** A view is copied to another thread with its whole buffer, so the text gets a buffer of its own. */
function detached(row: RetryRow): RetryRow {
  return row.text ? { ...row, text: Buffer.from(new Uint8Array(row.text).buffer) } : row;
}
