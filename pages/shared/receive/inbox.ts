export interface InboxOptions<Row> {
  /** Receives the rows since the last frame. */
  deliver(rows: readonly Row[]): void;
  /** Called in each frame with how many wait while the inbox is held. */
  onHeld(count: number): void;
  /** Rows that wait at most; older ones are dropped. */
  readonly maxWaiting: number;
  /** Calls back before the next frame is rendered. */
  readonly nextFrame: (callback: () => void) => void;
}

/** Collects rows and delivers them once per frame; none while it is held. */
export class Inbox<Row> {
  readonly #options: InboxOptions<Row>;
  #waiting: Row[] = [];
  #isHeld = false;
  #isScheduled = false;

  constructor(options: InboxOptions<Row>) {
    this.#options = options;
  }

  push(rows: readonly Row[]): void {
    for (const row of rows) this.#waiting.push(row);
    // A page in the background gets no frames, and must not fill the memory meanwhile.
    const { maxWaiting } = this.#options;
    if (this.#waiting.length > 2 * maxWaiting) this.#waiting = this.#waiting.slice(-maxWaiting);
    this.#schedule();
  }

  hold(): void {
    this.#isHeld = true;
    this.#schedule();
  }

  release(): void {
    this.#isHeld = false;
    this.#schedule();
  }

  /** Throws away what waits. */
  empty(): void {
    this.#waiting = [];
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#options.nextFrame(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#isHeld) {
      this.#options.onHeld(Math.min(this.#waiting.length, this.#options.maxWaiting));
      return;
    }
    const rows = this.#waiting.slice(-this.#options.maxWaiting);
    this.#waiting = [];
    this.#options.deliver(rows);
  }
}
