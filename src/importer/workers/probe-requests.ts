/** Questions to the host whether a URL that is down may be probed, at most one at a time for each URL. */
export class ProbeRequests {
  readonly #post: (queue: number) => void;
  readonly #waiting = new Map<number, (isAllowed: boolean) => void>();
  #hasEnded = false;

  /** `post` asks for the URL at this position; `answer` is to be called with the response. */
  constructor(post: (queue: number) => void) {
    this.#post = post;
  }

  ask(queue: number): Promise<boolean> {
    if (this.#hasEnded) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.#waiting.set(queue, resolve);
      this.#post(queue);
    });
  }

  answer(queue: number, isAllowed: boolean): void {
    this.#waiting.get(queue)?.(isAllowed);
    this.#waiting.delete(queue);
  }

  /** No answer will come any more: the connections, which others may use, ask one of these then. */
  end(): void {
    this.#hasEnded = true;
    for (const queue of this.#waiting.keys()) this.answer(queue, false);
  }
}
