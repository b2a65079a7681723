import type { LetterFile } from './letter-file.js';
import type { Changes, ImportStore } from './store.js';

/** Makes durable what has happened. */
export interface Committer {
  /** @throws StateError when that cannot be written. */
  commit(changes: Changes): void;
  /**
   * A promise while more is under way than a crash may undo, with `untold` rows that were not committed
   * yet; undefined while more may be sent.
   */
  room?(untold: number): Promise<void> | undefined;
  /** Nothing more will be committed. */
  close(): void;
}

export type CommitStep = 'before' | 'committed' | 'letters-written';

/**
 * Commits to the store of an import and then writes its dead letters to their file. Letters stand in the
 * store from one commit to the next, so that a crash in between neither loses nor doubles one.
 */
export class StoreCommitter implements Committer {
  readonly #store: ImportStore;
  readonly #letters: LetterFile;
  readonly #onStep: ((step: CommitStep) => void) | undefined;

  /**
   * `onStep` hears of each step of a commit, for tests that end the process between two of them.
   * @throws StateError when dead letters of an earlier run cannot be written.
   */
  constructor(store: ImportStore, letters: LetterFile, onStep?: (step: CommitStep) => void) {
    this.#store = store;
    this.#letters = letters;
    this.#onStep = onStep;
    letters.recover(store.letters());
  }

  commit(changes: Changes): void {
    this.#onStep?.('before');
    this.#store.commit(changes, this.#letters.written);
    this.#onStep?.('committed');
    if (changes.addLetters.length === 0) return;
    this.#letters.write(this.#store.letters());
    this.#onStep?.('letters-written');
  }

  close(): void {
    this.#letters.close();
  }
}
