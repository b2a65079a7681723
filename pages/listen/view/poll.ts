/** Loads something after requests have arrived: one call at a time, with a pause after each. */
export class Poll {
  readonly #load: () => Promise<void>;
  readonly #pauseMs: number;
  #isBusy = false;
  #isAsked = false;

  constructor(load: () => Promise<void>, pauseMs: number) {
    this.#load = load;
    this.#pauseMs = pauseMs;
  }

  ask(): void {
    this.#isAsked = true;
    if (!this.#isBusy) this.#run();
  }

  #run(): void {
    this.#isBusy = true;
    this.#isAsked = false;
    const rest = (): void => void setTimeout(() => this.#rested(), this.#pauseMs);
    // The stream reports a lost connection; the next one asks again.
    this.#load().then(rest, rest);
  }

  #rested(): void {
    this.#isBusy = false;
    if (this.#isAsked) this.#run();
  }
}
