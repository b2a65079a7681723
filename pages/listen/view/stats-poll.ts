/** Often enough for a number that grows, seldom enough not to be felt. */
const pauseMs = 500;

/** Loads the counters of the receiver after requests have arrived, one call at a time. */
export class StatsPoll {
  readonly #load: () => Promise<void>;
  #isBusy = false;
  #isAsked = false;

  constructor(load: () => Promise<void>) {
    this.#load = load;
  }

  ask(): void {
    this.#isAsked = true;
    if (!this.#isBusy) this.#run();
  }

  #run(): void {
    this.#isBusy = true;
    this.#isAsked = false;
    const rest = (): void => void setTimeout(() => this.#rested(), pauseMs);
    // The stream reports a lost connection; the counters are loaded with the next one.
    this.#load().then(rest, rest);
  }

  #rested(): void {
    this.#isBusy = false;
    if (this.#isAsked) this.#run();
  }
}
