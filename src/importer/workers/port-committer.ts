import type { AttemptResult } from '../../delivery/outcome.js';
import type { Committer } from '../../ledger/committer.js';
import { Histogram } from '../../ledger/histogram.js';
import type { Checkpoint } from '../../ledger/progress.js';
import type { RetryRow } from '../../ledger/retry-row.js';
import { RowCount } from '../../ledger/row-count.js';
import type { StateChanges, ImportStore } from '../../ledger/store.js';
import { withResolvers, type OpenPromise } from '../../with-resolvers.js';
import type { Job, WorkerReport, ProgressSnapshot, TaggedAttempt } from './messages.js';
import { ProblemFilter, type EventAttempt, type EventProblem } from '../reported-event.js';
import type { ReadLine } from './range-tracker.js';

interface PortCommitterOptions {
  /** This thread's own retries, in memory, from where it reads them when they are due. */
  readonly store: ImportStore;
  readonly job: Pick<
    Job,
    'latency' | 'maxUncommitted' | 'reportsAttempts' | 'isVerbose' | 'exportsRetries' | 'isOrdered'
  >;
  /** What only the ledger and the source know. */
  readonly state: () => LedgerState;
  /** `transfer`: buffers of the report that are moved, not copied. */
  readonly post: (
    report: Extract<WorkerReport, { kind: 'commit' }>,
    transfer: readonly ArrayBuffer[],
  ) => void;
}

type LedgerState = Pick<ProgressSnapshot, 'bytes' | 'waiting' | 'doneRanges' | 'reasons' | 'urls'>;

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
  #shownAttempts: EventAttempt[] = [];
  #problems: EventProblem[] = [];
  readonly #problemFilter: ProblemFilter;
  #room: OpenPromise | undefined;
  #isStopped = false;

  constructor(options: PortCommitterOptions) {
    this.#options = options;
    this.#problemFilter = new ProblemFilter(options.job.isVerbose);
    this.#latency = new Histogram(options.job.latency);
    this.#noteLastRead(options.store.checkpoint());
  }

  attempt(result: AttemptResult, messageId: string): void {
    if (result.status !== null) this.#latency.add(result.durationMs);
    if (result.attempt > 1) this.#retries++;
    if (this.#options.job.reportsAttempts) this.#attempts.push([result, messageId]);
  }

  /** Notes attempts to be shown. */
  showAttempts(attempts: readonly EventAttempt[]): void {
    this.#shownAttempts.push(...attempts);
  }

  /** Notes a problem to be shown; the main thread, which filters those of all threads, is also told the first hidden one. */
  problem(problem: () => EventProblem): void {
    if (this.#problemFilter.isDone) return;
    const shown = problem();
    if (this.#problemFilter.take(shown) !== 'hidden') this.#problems.push(shown);
  }

  commit(changes: StateChanges): void {
    const addDeadLetters = changes.addDeadLetters.map(withOwnBuffer);
    this.#keepRetries(changes);
    // Retries of an ordered job stay in this thread. Their lines are open, so whoever takes over reads them again.
    const keepsRetries = this.#options.job.isOrdered === true;
    const putRetries = keepsRetries ? [] : changes.putRetries;
    const deleteRetries = keepsRetries ? [] : changes.deleteRetries;
    this.#rows += this.#rowCount.of(changes);
    this.#noteLastRead(changes.checkpoint);
    const report = {
      kind: 'commit',
      snapshot: this.#snapshot(changes),
      putRetries: putRetries.map(detached),
      deleteRetries,
      addDeadLetters,
      attempts: this.#attempts,
      shownAttempts: this.#shownAttempts,
      problems: this.#problems,
    } as const;
    this.#options.post(
      report,
      addDeadLetters.map(({ buffer }) => buffer),
    );
    this.#attempts = [];
    this.#shownAttempts = [];
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
    const isFull = rows >= this.#options.job.maxUncommitted;
    if (!isFull || this.#isStopped) return undefined;
    this.#room ??= withResolvers();
    return this.#room.promise;
  }

  /** Ends the wait for room. Whoever has opened the store closes it. */
  close(): void {
    this.#resume();
  }

  /** The store has only the retries that this thread is to send. */
  #keepRetries(changes: StateChanges): void {
    const { store, job } = this.#options;
    const { putRetries, deleteRetries } = changes;
    if (putRetries.length + deleteRetries.length === 0) return;
    const kept = job.exportsRetries
      ? { putRetries: [], deleteRetries: [...deleteRetries, ...putRetries.map(({ id }) => id)] }
      : { putRetries, deleteRetries };
    store.commit({ ...changes, ...kept, addDeadLetters: [] });
  }

  #resume(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  #snapshot({ checkpoint: { open }, counts }: StateChanges): ProgressSnapshot {
    return {
      checkpoint: { lastRead: this.#lastRead, open },
      counts,
      ...this.#options.state(),
      rows: this.#rows,
      retries: this.#retries,
    };
  }

  /** A thread gets ranges in the order of the files, so the newest line is the last one. */
  #noteLastRead({ last }: Checkpoint): void {
    for (const [file, line] of last) this.#lastRead = { file, ...line };
  }
}

/** The same bytes, in a buffer of their own so that it can be moved; copied only if they share one. */
function withOwnBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  const isAll = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
  return isAll ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}

/** A view is copied to another thread with its whole buffer, so the text gets a buffer of its own. */
function detached(row: RetryRow): RetryRow {
  return row.text ? { ...row, text: Buffer.from(new Uint8Array(row.text).buffer) } : row;
}
