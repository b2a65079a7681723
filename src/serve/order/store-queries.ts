/** When to ask again after a query that failed. */
const againMs = 1_000;

export interface StoreQueriesOptions {
  /** Calls once, after this time; returns what cancels it. */
  readonly after: (ms: number, call: () => void) => () => void;
  /** A later answer has come, or it is time to ask again. */
  readonly onMore: () => void;
  /** A later answer did not come. */
  readonly onFailure: (error: unknown) => void;
}

/** Queries of a lane to its store, which may be answered later. Answers to dropped queries are ignored. */
export class StoreQueries {
  readonly #options: StoreQueriesOptions;
  /** Incremented by `drop`: answers to queries of an earlier generation are ignored. */
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

  /** Drops the queries that are not answered yet. */
  drop(): void {
    this.#generation++;
  }
}
