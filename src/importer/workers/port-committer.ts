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
import type { TakenLine } from './range-tracker.js';

interface PortCommitterOptions {
  /** This thread's own waiting events, in memory: it reads them from there when they are due. */
  readonly store: ImportStore;
  readonly job: Pick<Job, 'latency' | 'maxUncommitted' | 'reportsAttempts'>;
  /** What only the ledger and the source know. */
  readonly state: () => Pick<ProgressSnapshot, 'bytes' | 'waiting' | 'doneRanges'>;
  readonly post: (report: Extract<WorkerReport, { kind: 'commit' }>) => void;
}

/** Tells the main thread, which has the store of the import, what is to be made durable. */
export class PortCommitter implements Committer {
  readonly #options: PortCommitterOptions;
  readonly #latency: Histogram;
  readonly #rowCount = new RowCount();
  /** Rows that were told. */
  #rows = 0;
  /** Of these, the durable ones. */
  #durableRows = 0;
  #retries = 0;
  /** The last line that this thread has taken. */
  #taken: TakenLine | undefined;
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
    this.#noteTaken(changes.checkpoint);
    this.#options.post({
      kind: 'commit',
      snapshot: this.#snapshot(changes),
      putRetries: putRetries.map(alone),
      deleteRetries,
      addDeadLetters: addDeadLetters.map((line) => new Uint8Array(line)),
      attempts: this.#attempts,
      problems: this.#problems,
    });
    this.#attempts = [];
    this.#problems = [];
  }

  /** So many of the rows that were told are durable. */
  durable(rows: number): void {
    this.#durableRows = rows;
    this.#letIn();
  }

  /** Nothing more is sent, so nobody has to wait. */
  stop(): void {
    this.#isStopped = true;
    this.#letIn();
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

  #letIn(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  #snapshot({ checkpoint: { open }, counts }: StateChanges): ProgressSnapshot {
    const { bytes, waiting, doneRanges } = this.#options.state();
    const place = { taken: this.#taken, open };
    const own = { rows: this.#rows, retries: this.#retries };
    return { checkpoint: place, counts, bytes, waiting, doneRanges, ...own };
  }

  /** Ranges come in the order of the files, so the newest line stands last. */
  #noteTaken({ last }: Checkpoint): void {
    for (const [file, { line, offset }] of last) this.#taken = { file, line, offset };
  }
}

/** A view takes all that is below it along when it is copied to another thread. */
function alone(row: RetryRow): RetryRow {
  return row.text ? { ...row, text: Buffer.from(new Uint8Array(row.text).buffer) } : row;
}
