/** After a look-up that failed. */
const againMs = 1_000;

export interface StoreQueriesOptions {
  /** Calls once, after this time; returns what cancels it. */
  readonly after: (ms: number, call: () => void) => () => void;
  /** A later answer has come, or it is time to ask again. */
  readonly onMore: () => void;
  /** A later answer did not come. */
  readonly onFailure: (error: unknown) => void;
}

/** Look-ups of a lane in its store, whose answers may come later; those of before a loss are ignored. */
export class StoreQueries {
  readonly #options: StoreQueriesOptions;
  /** Rises when earlier look-ups are dropped. */
  #generation = 0;

  constructor(options: StoreQueriesOptions) {
    this.#options = options;
  }

  /**
   * Uses an answer at once where the engine has it at once. `undo` is called where there is no answer.
   * @throws what an engine throws that answers at once
   */
  ask<T>(look: () => T | Promise<T>, use: (found: T) => void, undo: () => void): void {
    const generation = this.#generation;
    const { onMore, onFailure, after } = this.#options;
    let found: T | Promise<T>;
    try {
      found = look();
    } catch (error) {
      undo();
      throw error;
    }
    if (!(found instanceof Promise)) {
      use(found);
      return;
    }
    found.then(
      (value) => {
        if (generation !== this.#generation) return;
        use(value);
        onMore();
      },
      (error: unknown) => {
        if (generation !== this.#generation) return;
        undo();
        onFailure(error);
        after(againMs, onMore);
      },
    );
  }

  /** Ignores the answers to what was asked so far. */
  drop(): void {
    this.#generation++;
  }
}
