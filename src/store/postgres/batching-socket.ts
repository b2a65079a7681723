import { Socket } from 'node:net';

/**
 * Sends what is written in one turn of the event loop at once: the statements of a pipeline cost one system call, and
 * the server reads them together. Only of who corks it, as pg does around each statement.
 */
export class BatchingSocket extends Socket {
  #isDue = false;

  override uncork(): void {
    if (this.#isDue) super.uncork();
    else {
      this.#isDue = true;
      setImmediate(() => {
        this.#isDue = false;
        super.uncork();
      });
    }
  }
}
