/** Flushes commits to the disk in the background, and limits how many rows are unflushed. */
export class Flusher {
  readonly #flush: () => Promise<void>;
  readonly #maxRows: number;
  /** Rows of the flush in progress. */
  #flushing = 0;
  /** Rows committed since that flush began. */
  #committed = 0;
  #running: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** `maxRows`: how many rows may be unflushed. */
  constructor(flush: () => Promise<void>, maxRows: number) {
    this.#flush = flush;
    this.#maxRows = maxRows;
  }

  /** Notes that `rows` rows were committed, and flushes them. */
  add(rows: number): void {
    this.#committed += rows;
    this.#running ??= this.#run();
  }

  /** Notes that all commits are on the disk. */
  reset(): void {
    this.#flushing = 0;
    this.#committed = 0;
  }

  /** A promise while too many rows are unflushed, including `unreported` rows not committed yet. */
  room(unreported: number): Promise<void> | undefined {
    const rows = this.#flushing + this.#committed + unreported;
    return rows < this.#maxRows ? undefined : this.#running;
  }

  /** @throws the error of the last flush. */
  throwIfFailed(): void {
    if (this.#failure) throw this.#failure.error;
  }

  async #run(): Promise<void> {
    this.#flushing = this.#committed;
    this.#committed = 0;
    try {
      await this.#flush();
    } catch (error) {
      this.#failure = { error };
    }
    this.#flushing = 0;
    this.#running = this.#committed > 0 && !this.#failure ? this.#run() : undefined;
  }
}
