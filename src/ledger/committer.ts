import { Flusher } from '../storage/flusher.js';
import type { DeadLetterFile } from './dead-letter-file.js';
import { RowCount } from './row-count.js';
import type { StateChanges, ImportStore } from './store.js';

/** Makes changes durable. */
export interface Committer {
  /** @throws StateError when these or earlier changes cannot be written. */
  commit(changes: StateChanges): void;
  /**
   * A promise while more rows are unflushed than a crash may undo, including `unreported` rows that are
   * not committed yet; undefined while more may be sent.
   */
  room?(unreported: number): Promise<void> | undefined;
  /** After the last commit: waits until all is on the disk. @throws StateError */
  close(): void;
}

export type CommitStep = 'before' | 'committed' | 'dead-letters-written';

export interface CommitterOptions {
  /**
   * Commits do not wait for the disk; instead, sending pauses while this many rows are unflushed.
   * Default: each commit is on the disk when it returns.
   */
  readonly maxUnflushed?: number | undefined;
  /** Called at each step of a commit, for tests that kill the process between two of them. */
  readonly onStep?: ((step: CommitStep) => void) | undefined;
}

/**
 * Commits to the store of an import and then writes the dead letters to their file. The store keeps them
 * until the next commit, so a crash in between neither loses nor duplicates one.
 */
export class StoreCommitter implements Committer {
  readonly #store: ImportStore;
  readonly #deadLetters: DeadLetterFile;
  readonly #rows: RowCount;
  readonly #flusher: Flusher | undefined;
  readonly #onStep: ((step: CommitStep) => void) | undefined;

  /** @throws StateError when dead letters of an earlier run cannot be written. */
  constructor(
    store: ImportStore,
    deadLetters: DeadLetterFile,
    { maxUnflushed, onStep }: CommitterOptions = {},
  ) {
    this.#store = store;
    this.#deadLetters = deadLetters;
    this.#rows = new RowCount(store.counts());
    this.#flusher =
      maxUnflushed === undefined ? undefined : new Flusher(() => store.flush(), maxUnflushed);
    this.#onStep = onStep;
    deadLetters.recover(store.deadLetters());
  }

  commit(changes: StateChanges): void {
    this.#flusher?.throwIfFailed();
    this.#onStep?.('before');
    if (this.#flusher && mayLag(changes)) this.#commitUnflushed(changes, this.#flusher);
    else this.#commitFlushed(changes);
    this.#onStep?.('committed');
    if (changes.addDeadLetters.length === 0) return;
    this.#deadLetters.write(this.#store.deadLetters());
    this.#onStep?.('dead-letters-written');
  }

  room(unreported: number): Promise<void> | undefined {
    return this.#flusher?.room(unreported);
  }

  close(): void {
    this.#flusher?.throwIfFailed();
    if (this.#flusher) this.#store.flushNow();
    this.#deadLetters.close();
  }

  #commitUnflushed(changes: StateChanges, flusher: Flusher): void {
    this.#store.commit(changes, { written: this.#deadLetters.written }, 'later');
    flusher.add(this.#rows.of(changes));
  }

  #commitFlushed(changes: StateChanges): void {
    const { written } = this.#deadLetters;
    const end = changes.addDeadLetters.length > 0 ? this.#deadLetters.end() : undefined;
    this.#store.commit(changes, { written, end });
    this.#rows.of(changes);
    this.#flusher?.reset();
  }
}

/**
 * Whether a power cut may undo the changes, so that their events are sent again. Not with dead letters:
 * their file must not be ahead of the store.
 */
function mayLag({ addDeadLetters, isFinished }: StateChanges): boolean {
  return addDeadLetters.length === 0 && !isFinished;
}
