import { Queue } from '../collections/queue.js';
import type { Rate } from '../delivery/endpoint-pace.js';

/**
 * Gives the turns of a rate to what waits for them: first to retries, which are older, then to new events.
 * Who comes while a turn is waited for can still get it.
 */
export class Turns {
  readonly #rate: Pick<Rate, 'turn'>;
  readonly #sleep: (ms: number) => Promise<void>;
  readonly #retries = new Queue<() => void>();
  readonly #events = new Queue<() => void>();
  #isGiving = false;
  /** How many turns to ask the rate for, as of the last caller. */
  #wanted = Infinity;

  /** `sleep` waits; cut short when nothing more is sent. */
  constructor(rate: Pick<Rate, 'turn'>, sleep: (ms: number) => Promise<void>) {
    this.#rate = rate;
    this.#sleep = sleep;
  }

  /** Resolves when a new event may be sent; how many follow is not known. */
  forEvent(): Promise<void> {
    this.#wanted = Infinity;
    return this.#queueIn(this.#events);
  }

  /** Resolves when a retry may be sent. `wanted`: how many turns will be taken soon, this one included. */
  forRetry(wanted: number): Promise<void> {
    this.#wanted = this.#events.size > 0 ? Infinity : wanted;
    return this.#queueIn(this.#retries);
  }

  #queueIn(queue: Queue<() => void>): Promise<void> {
    return new Promise((resolve) => {
      queue.push(resolve);
      if (!this.#isGiving) void this.#give();
    });
  }

  async #give(): Promise<void> {
    this.#isGiving = true;
    while (this.#retries.size + this.#events.size > 0) {
      const wait = this.#rate.turn(this.#wanted);
      const waitMs = typeof wait === 'number' ? wait : await wait;
      if (waitMs > 0) await this.#sleep(waitMs);
      const next = this.#retries.size > 0 ? this.#retries : this.#events;
      next.shift()!();
    }
    this.#isGiving = false;
  }
}
