/**
 * Calls the callbacks of one turn of the event loop together at its end, in their order. Responses are
 * written so, since a client that gets them one by one is woken up for each of them.
 */
export class CallbackBatch {
  #callbacks: (() => void)[] = [];

  add(callback: () => void): void {
    if (this.#callbacks.length === 0) setImmediate(() => this.flush());
    this.#callbacks.push(callback);
  }

  /** Calls all callbacks so far. */
  flush(): void {
    const callbacks = this.#callbacks;
    this.#callbacks = [];
    for (const callback of callbacks) callback();
  }
}
