import { Flusher } from '../storage/flusher.js';
import type { DeadLetterFile } from './dead-letter-file.js';
import { RowCount } from './row-count.js';
import type { StateChanges, ImportStore } from './store.js';

/** Makes durable what has happened. */
export interface Committer {
  /** @throws StateError when that, or what was committed before, cannot be written. */
  commit(changes: StateChanges): void;
  /**
   * A promise while more is under way than a crash may undo, with `untold` rows that were not committed
   * yet; undefined while more may be sent.
   */
  room?(unreported: number): Promise<void> | undefined;
  /** Nothing more will be committed; what was is on the disk. @throws StateError */
  close(): void;
}

export type CommitStep = 'before' | 'committed' | 'letters-written';

export interface CommitterOptions {
  /**
   * Commits do not wait for the disk: it follows, behind the sending, which pauses when so many rows are on
   * their way. Default: each commit is on the disk when it returns.
   */
  readonly maxUnflushed?: number | undefined;
  /** Hears of each step of a commit, for tests that end the process between two of them. */
  readonly onStep?: ((step: CommitStep) => void) | undefined;
}

/**
 * Commits to the store of an import and then writes its dead letters to their file. Letters stand in the
 * store from one commit to the next, so that a crash in between neither loses nor doubles one.
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
    if (this.#flusher && mayLag(changes)) this.#commitBehind(changes, this.#flusher);
    else this.#commitNow(changes);
    this.#onStep?.('committed');
    if (changes.addDeadLetters.length === 0) return;
    this.#deadLetters.write(this.#store.deadLetters());
    this.#onStep?.('letters-written');
  }

  room(unreported: number): Promise<void> | undefined {
    return this.#flusher?.room(unreported);
  }

  close(): void {
    this.#flusher?.throwIfFailed();
    if (this.#flusher) this.#store.flushNow();
    this.#deadLetters.close();
  }

  #commitBehind(changes: StateChanges, flusher: Flusher): void {
    this.#store.commit(changes, { written: this.#deadLetters.written }, 'later');
    flusher.add(this.#rows.of(changes));
  }

  #commitNow(changes: StateChanges): void {
    const { written } = this.#deadLetters;
    const end = changes.addDeadLetters.length > 0 ? this.#deadLetters.end() : undefined;
    this.#store.commit(changes, { written, end });
    this.#rows.of(changes);
    this.#flusher?.reset();
  }
}

/**
 * Whether a power cut may undo it: then its events are sent again. Letters go to a file of their own, which
 * must not be ahead of the store.
 */
function mayLag({ addDeadLetters, isFinished }: StateChanges): boolean {
  return addDeadLetters.length === 0 && !isFinished;
}
