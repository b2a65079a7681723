import type { AttemptResult } from '../deliver/outcome.js';
import type { Committer } from '../ledger/committer.js';
import type { RetryRow } from '../ledger/retry-row.js';
import type { Changes, ImportStore } from '../ledger/store.js';
import type { Commit, TaggedAttempt, Trouble } from './messages.js';

interface PortCommitterOptions {
  /** This thread's own waiting events, in memory: it reads them from there when they are due. */
  readonly store: ImportStore;
  /** No more than so many rows may have ended and not be on the disk. */
  readonly maxUncommitted: number;
  readonly tellsAttempts: boolean;
  /** What only the ledger and the source know. */
  readonly state: () => Pick<Commit, 'bytes' | 'waiting' | 'doneRanges'>;
  readonly post: (commit: Commit) => void;
}

/** Tells the main thread what is to be made durable; it has the store of the import. */
export class PortCommitter implements Committer {
  readonly #options: PortCommitterOptions;
  #ended = 0;
  #uncommitted = 0;
  #durationsMs: number[] = [];
  #retries = 0;
  #attempts: TaggedAttempt[] = [];
  #troubles: Trouble[] = [];
  #room: { promise: Promise<void>; open: () => void } | undefined;

  constructor(options: PortCommitterOptions) {
    this.#options = options;
  }

  attempt(result: AttemptResult, messageId: string): void {
    this.#durationsMs.push(result.durationMs);
    if (result.attempt > 1) this.#retries++;
    if (this.#options.tellsAttempts) this.#attempts.push([result, messageId]);
  }

  trouble(trouble: Trouble): void {
    this.#troubles.push(trouble);
  }

  commit(changes: Changes): void {
    const { store, state, post } = this.#options;
    const { putRetries, deleteRetries, addLetters } = changes;
    if (putRetries.length + deleteRetries.length > 0) store.commit({ ...changes, addLetters: [] });
    const rows = this.#rowsOf(changes);
    this.#uncommitted += rows;
    post({
      ...changes,
      ...state(),
      putRetries: putRetries.map(alone),
      addLetters: addLetters.map((line) => new Uint8Array(line)),
      rows,
      durationsMs: Float64Array.from(this.#durationsMs),
      retries: this.#retries,
      attempts: this.#attempts,
      troubles: this.#troubles,
    });
    this.#durationsMs = [];
    this.#retries = 0;
    this.#attempts = [];
    this.#troubles = [];
  }

  /** So many rows more are on disk. */
  durable(rows: number): void {
    this.#uncommitted -= rows;
    if (this.#uncommitted < this.#options.maxUncommitted) this.#letIn();
  }

  /** Nothing more is sent, so nobody has to wait. */
  stop(): void {
    this.#letIn();
  }

  room(untold: number): Promise<void> | undefined {
    if (this.#uncommitted + untold < this.#options.maxUncommitted) return undefined;
    this.#room ??= gate();
    return this.#room.promise;
  }

  close(): void {
    this.#options.store.close();
  }

  #letIn(): void {
    this.#room?.open();
    this.#room = undefined;
  }

  #rowsOf({ counts, putRetries }: Changes): number {
    const { delivered, rejected, failed, skipped } = counts;
    const before = this.#ended;
    this.#ended = delivered + rejected + failed + skipped;
    return this.#ended - before + putRetries.length;
  }
}

/** A view takes all that is below it along when it is copied to another thread. */
function alone(row: RetryRow): RetryRow {
  return row.text ? { ...row, text: Buffer.from(new Uint8Array(row.text).buffer) } : row;
}

function gate(): { promise: Promise<void>; open: () => void } {
  let open!: () => void;
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, open };
}
