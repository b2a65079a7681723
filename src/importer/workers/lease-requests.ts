import type { LeaseRequest, TurnLease } from '../../turn-lease.js';

/**
 * Questions to the host for the next turns of the rate of the run (`queue` is undefined) and of those of its URLs; several
 * may wait for each.
 */
export class LeaseRequests {
  readonly #post: (queue: number | undefined, request: LeaseRequest) => void;
  readonly #waiting = new Map<number | undefined, ((lease: TurnLease | undefined) => void)[]>();
  #hasEnded = false;

  /** `post` asks for the URL at this position; `answer` is to be called with the response. */
  constructor(post: (queue: number | undefined, request: LeaseRequest) => void) {
    this.#post = post;
  }

  /** Undefined when this job has ended: another one of the same thread is to be asked. */
  ask(queue: number | undefined, request: LeaseRequest): Promise<TurnLease | undefined> {
    if (this.#hasEnded) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(queue) ?? [];
      this.#waiting.set(queue, waiting);
      waiting.push(resolve);
      this.#post(queue, request);
    });
  }

  answer(queue: number | undefined, lease: TurnLease | undefined): void {
    this.#waiting.get(queue)?.shift()?.(lease);
  }

  /** No answer will come any more. */
  end(): void {
    this.#hasEnded = true;
    for (const waiting of this.#waiting.values())
      for (const resolve of waiting.splice(0)) resolve(undefined);
  }
}
