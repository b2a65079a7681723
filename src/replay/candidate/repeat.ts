import type { Difference, Noise } from './noise.js';

/** What the candidate does differently when a request is sent again. */
export interface Repeated {
  readonly fromFirst: readonly Difference[];
  /** From a response of the baseline to the same repeat; undefined where it was not asked. */
  readonly fromRepeat?: readonly Difference[];
}

type Ask = (noise: Noise, asksBaseline: boolean) => Promise<Repeated | undefined>;

/** A request that can be sent again, to see whether a difference is there again. */
export class Repeat {
  /** What is kept in memory for it. */
  readonly bytes: number;
  /** Of how many differences it is kept. */
  users = 0;
  readonly #ask: Ask;
  #last: Repeated | undefined;

  constructor(bytes: number, ask: Ask) {
    this.bytes = bytes;
    this.#ask = ask;
  }

  async ask(noise: Noise, asksBaseline: boolean): Promise<void> {
    this.#last = await this.#ask(noise, asksBaseline);
  }

  /** When it was asked last; undefined without a response. */
  get last(): Repeated | undefined {
    return this.#last;
  }
}
