import type { ServerResponse } from 'node:http';
import { systemClock } from '../../clock.js';
import type { ForwardError } from './failure-response.js';

/** Ends an exchange with the app when its time is over, its sender has gone, or the forwarder is closed. */
export class ExchangeLimits {
  readonly #controller = new AbortController();
  readonly #sender: ServerResponse;
  readonly #closing: AbortSignal;
  readonly #stopTimer: () => void;
  readonly #abort = (): void => this.#end('aborted');
  #exceeded: ForwardError | undefined;

  constructor(sender: ServerResponse, closing: AbortSignal, timeoutMs: number) {
    this.#sender = sender;
    this.#closing = closing;
    this.#stopTimer = systemClock.after(timeoutMs, () => this.#end('timeout'));
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
