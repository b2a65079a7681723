import { Socket } from 'node:net';

/**
 * Sends what is written in one tick at once: the statements of a pipeline cost one system call, and the server reads
 * them together. pg corks it around each statement: the first `uncork` of a tick is delayed, those behind it keep the
 * balance. Not with TLS, where pg corks the socket of TLS.
 */
export class BatchingSocket extends Socket {
  #isDue = false;

  override uncork(): void {
    if (this.#isDue) super.uncork();
    else {
      this.#isDue = true;
      process.nextTick(() => {
        this.#isDue = false;
        super.uncork();
      });
    }
  }
}
