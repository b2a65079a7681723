import type { LeaseRequest, TurnLease } from '../../turn-lease.js';

/**
 * Asks the host for the next turns of the rate of the run (`queue` is undefined) or of a URL (its position); several
 * requests of each may be open.
 */
export class LeaseRequests {
  readonly #post: (queue: number | undefined, request: LeaseRequest) => void;
  readonly #waiting = new Map<number | undefined, ((lease: TurnLease | undefined) => void)[]>();
  #hasEnded = false;

  /** `post` sends a request to the host; `answer` is to be called with each response, in order. */
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

  /** Responses for this queue are not used any more. Returns how many were still to come. */
  leave(queue: number | undefined): number {
    const waiting = this.#waiting.get(queue)?.splice(0) ?? [];
    for (const resolve of waiting) resolve(undefined);
    return waiting.length;
  }

  /** No answer will come any more. */
  end(): void {
    this.#hasEnded = true;
    for (const queue of this.#waiting.keys()) this.leave(queue);
  }
}
