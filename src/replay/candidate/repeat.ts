import type { Difference, Noise } from './noise.js';

/** How the candidate's response to a repeat differs. */
export interface Repeated {
  /** Compared with the first response of the baseline. */
  readonly toFirstResponse: readonly Difference[];
  /** Compared with the response of the baseline to the same repeat; absent where it was sent to the candidate alone. */
  readonly toRepeatedResponse?: readonly Difference[];
}

type Send = (noise: Noise, toBoth: boolean) => Promise<Repeated | undefined>;

/** A request that can be sent again, to see whether a difference is there again. */
export class Repeat {
  /** What is kept in memory for it. */
  readonly bytes: number;
  /** Of how many differences it is kept. */
  users = 0;
  readonly #send: Send;
  #last: Repeated | undefined;

  constructor(bytes: number, send: Send) {
    this.bytes = bytes;
    this.#send = send;
  }

  /** Sends the request again, to the candidate or to both versions. */
  async send(noise: Noise, toBoth: boolean): Promise<void> {
    this.#last = await this.#send(noise, toBoth);
  }

  /** Of the last `send`; undefined before it, and where a version did not respond. */
  get last(): Repeated | undefined {
    return this.#last;
  }
}
