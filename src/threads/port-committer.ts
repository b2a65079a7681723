import type { AttemptResult } from '../deliver/outcome.js';
import type { Committer } from '../ledger/committer.js';
import { Histogram } from '../ledger/histogram.js';
import type { Place } from '../ledger/progress.js';
import type { RetryRow } from '../ledger/retry-row.js';
import { RowCount } from '../ledger/row-count.js';
import type { Changes, ImportStore } from '../ledger/store.js';
import { withResolvers, type OpenPromise } from '../with-resolvers.js';
import { NumbersWriter } from './latest-numbers.js';
import type { Job, News, Report, TaggedAttempt, Trouble } from './messages.js';
import type { TakenLine } from './range-book.js';
import { writeStanding, type Standing } from './standing.js';
import { Uncommitted } from './uncommitted.js';

interface PortCommitterOptions {
  /** This thread's own waiting events, in memory: it reads them from there when they are due. */
  readonly store: ImportStore;
  readonly job: Pick<Job, 'thread' | 'memory' | 'maxUncommitted' | 'tellsAttempts'>;
  /** What only the ledger and the source know. */
  readonly state: () => Pick<Standing, 'bytes' | 'waiting' | 'doneRanges'>;
  readonly post: (report: Extract<Report, { kind: 'commit' | 'hurry' }>) => void;
}

/** When so much of what a crash may undo has ended, it is time for a commit. */
const hurryShare = 0.8;

/**
 * Tells the main thread, which has the store of the import, what is to be made durable: in shared memory,
 * where it finds the newest standing whenever it looks, or by message where there is more to tell than
 * numbers. A message an event, or even a few hundred a second, would cost a tenth of the work.
 */
export class PortCommitter implements Committer {
  readonly #options: PortCommitterOptions;
  readonly #numbers: NumbersWriter;
  readonly #latency: Histogram;
  readonly #uncommitted: Uncommitted;
  readonly #rowCount = new RowCount();
  /** Rows that were told. */
  #rows = 0;
  /** Rows that are counted as uncommitted or have been: those told, and those that have ended since. */
  #counted = 0;
  #retries = 0;
  #messages = 0;
  /** The last line that this thread has taken. */
  #taken: TakenLine | undefined;
  #attempts: TaggedAttempt[] = [];
  #troubles: Trouble[] = [];
  #room: OpenPromise | undefined;
  #isStopped = false;

  constructor(options: PortCommitterOptions) {
    const { standing, latency, rows } = options.job.memory;
    this.#options = options;
    this.#numbers = new NumbersWriter(standing);
    this.#latency = new Histogram(latency);
    this.#uncommitted = new Uncommitted(rows);
  }

  attempt(result: AttemptResult, messageId: string): void {
    this.#latency.add(result.durationMs);
    if (result.attempt > 1) this.#retries++;
    if (this.#options.job.tellsAttempts) this.#attempts.push([result, messageId]);
  }

  trouble(trouble: Trouble): void {
    this.#troubles.push(trouble);
  }

  commit(changes: Changes): void {
    const { putRetries, deleteRetries, addLetters } = changes;
    const isKept = putRetries.length + deleteRetries.length > 0;
    if (isKept) this.#options.store.commit({ ...changes, addLetters: [] });
    this.#rows += this.#rowCount.of(changes);
    this.#noteTaken(changes.place);
    // Before the main thread can find them, and count them as durable.
    this.#count(0);
    const news = { attempts: this.#attempts, troubles: this.#troubles };
    const isAllNumbers =
      !isKept && addLetters.length + news.attempts.length + news.troubles.length === 0;
    if (isAllNumbers && this.#write(changes)) return;
    this.#tell(changes, {
      putRetries: putRetries.map(alone),
      deleteRetries,
      addLetters: addLetters.map((line) => new Uint8Array(line)),
      ...news,
    });
    this.#attempts = [];
    this.#troubles = [];
  }

  /** Rows have become durable. */
  letIn(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  /** Nothing more is sent, so nobody has to wait. */
  stop(): void {
    this.#isStopped = true;
    this.letIn();
  }

  room(untold: number): Promise<void> | undefined {
    this.#count(untold);
    const { rows } = this.#uncommitted;
    const { maxUncommitted } = this.#options.job;
    if (rows >= maxUncommitted * hurryShare) this.#hurry();
    if (rows < maxUncommitted || this.#isStopped) return undefined;
    this.#uncommitted.wait(this.#options.job.thread);
    // What has become durable in between has woken nobody.
    if (this.#uncommitted.rows < maxUncommitted) return undefined;
    this.#room ??= withResolvers();
    return this.#room.promise;
  }

  close(): void {
    this.#options.store.close();
  }

  /** False where numbers do not suffice. */
  #write(changes: Changes): boolean {
    if (!writeStanding(this.#standing(changes), this.#numbers.list)) return false;
    this.#numbers.publish();
    return true;
  }

  #tell(changes: Changes, news: News): void {
    this.#messages++;
    this.#options.post({ kind: 'commit', standing: this.#standing(changes), ...news });
  }

  #standing({ place: { open }, counts }: Changes): Standing {
    const { bytes, waiting, doneRanges } = this.#options.state();
    const told = { rows: this.#rows, retries: this.#retries, messages: this.#messages };
    const place = { taken: this.#taken, open };
    return { place, counts, bytes, waiting, doneRanges, ...told };
  }

  /** Ranges come in the order of the files, so the newest line stands last. */
  #noteTaken({ last }: Place): void {
    for (const [file, { line, offset }] of last) this.#taken = { file, line, offset };
  }

  #hurry(): void {
    if (this.#uncommitted.hurry()) this.#options.post({ kind: 'hurry' });
  }

  /** Counts those that have ended without being told, too. */
  #count(untold: number): void {
    const rows = this.#rows + untold;
    if (rows === this.#counted) return;
    this.#uncommitted.add(rows - this.#counted);
    this.#counted = rows;
  }
}

/** A view takes all that is below it along when it is copied to another thread. */
function alone(row: RetryRow): RetryRow {
  return row.text ? { ...row, text: Buffer.from(new Uint8Array(row.text).buffer) } : row;
}
