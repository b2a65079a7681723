import type { Difference, Noise } from './noise.js';

/** A request that can be sent to the candidate once more, to see whether a difference is there again. */
export class Repeat {
  /** What is kept in memory for it. */
  readonly bytes: number;
  /** Of how many differences it is kept. */
  users = 0;
  readonly #ask: (noise: Noise) => Promise<Difference[] | undefined>;
  #asked: Promise<Difference[] | undefined> | undefined;

  constructor(bytes: number, ask: (noise: Noise) => Promise<Difference[] | undefined>) {
    this.bytes = bytes;
    this.#ask = ask;
  }

  /** What the candidate does differently then; undefined without a response. It is asked once. */
  differences(noise: Noise): Promise<Difference[] | undefined> {
    return (this.#asked ??= this.#ask(noise));
  }
}
