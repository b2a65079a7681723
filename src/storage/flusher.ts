/** Brings what was committed to the disk behind the work, and says when that is too far behind. */
export class Flusher {
  readonly #flush: () => Promise<void>;
  readonly #maxRows: number;
  /** Rows that the flush under way takes along. */
  #flushing = 0;
  /** Rows that were committed since it began. */
  #committed = 0;
  #running: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** No more than `maxRows` are to be on their way to the disk. */
  constructor(flush: () => Promise<void>, maxRows: number) {
    this.#flush = flush;
    this.#maxRows = maxRows;
  }

  /** So many rows were committed. */
  add(rows: number): void {
    this.#committed += rows;
    this.#running ??= this.#run();
  }

  /** All that was committed is on the disk. */
  reset(): void {
    this.#flushing = 0;
    this.#committed = 0;
  }

  /** A promise while too many rows are on their way, with `uncommitted` more that are to come. */
  room(unflushed: number): Promise<void> | undefined {
    const rows = this.#flushing + this.#committed + unflushed;
    return rows < this.#maxRows ? undefined : this.#running;
  }

  /** @throws what the last flush has failed with. */
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
