import type { ServerResponse } from 'node:http';
import { systemClock } from '../../clock.js';
import type { ForwardError } from './failure-response.js';

/** Ends an exchange with the app when its time is over, its sender has gone, or the forwarder is closed. */
export class ExchangeLimits {
  readonly #controller = new AbortController();
  readonly #sender: ServerResponse;
  readonly #closing: AbortSignal;
  #stopTimer = (): void => undefined;
  readonly #abort = (): void => this.#end('aborted');
  #exceeded: ForwardError | undefined;

  constructor(sender: ServerResponse, closing: AbortSignal) {
    this.#sender = sender;
    this.#closing = closing;
    sender.once('close', this.#abort);
    closing.addEventListener('abort', this.#abort);
    if (sender.closed || closing.aborted) this.#abort();
  }

  /** Aborted when the exchange must end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the exchange had to end; undefined if it did not. */
  get exceeded(): ForwardError | undefined {
    return this.#exceeded;
  }

  /** The request goes to the app, which has this time until the status line. */
  begun(timeoutMs: number): void {
    this.#stopTimer = systemClock.after(timeoutMs, () => this.#end('timeout'));
  }

  /** The status line has come; the body may take its time. */
  responded(): void {
    this.#stopTimer();
  }

  release(): void {
    this.#stopTimer();
    this.#sender.off('close', this.#abort);
    this.#closing.removeEventListener('abort', this.#abort);
  }

  #end(reason: ForwardError): void {
    this.#exceeded ??= reason;
    this.#controller.abort();
  }
}
