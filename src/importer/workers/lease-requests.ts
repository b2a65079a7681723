import type { TurnLease } from '../../turn-lease.js';

/** Questions to the host for the next turns of the rates of URLs; several may wait for each URL. */
export class LeaseRequests {
  readonly #post: (queue: number, unused: number) => void;
  readonly #waiting = new Map<number, ((lease: TurnLease | undefined) => void)[]>();
  #hasEnded = false;

  /** `post` asks for the URL at this position; `answer` is to be called with the response. */
  constructor(post: (queue: number, unused: number) => void) {
    this.#post = post;
  }

  /** Undefined when this job has ended: another one of the same connections is to be asked. */
  ask(queue: number, unused: number): Promise<TurnLease | undefined> {
    if (this.#hasEnded) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(queue) ?? [];
      this.#waiting.set(queue, waiting);
      waiting.push(resolve);
      this.#post(queue, unused);
    });
  }

  answer(queue: number, lease: TurnLease | undefined): void {
    this.#waiting.get(queue)?.shift()?.(lease);
  }

  /** No answer will come any more. */
  end(): void {
    this.#hasEnded = true;
    for (const waiting of this.#waiting.values())
      for (const resolve of waiting.splice(0)) resolve(undefined);
  }
}
