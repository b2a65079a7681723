/** Often enough for a number that grows, seldom enough not to be felt. */
const pauseMs = 500;

/** Asks for the receiver's own counts after something has come, and never twice at once. */
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
    // The stream tells of a lost connection; the counts come with the next one.
    this.#load().then(rest, rest);
  }

  #rested(): void {
    this.#isBusy = false;
    if (this.#isAsked) this.#run();
  }
}
