import type { EndpointNotice } from '../../../delivery/endpoint-notice.js';
import type { ItemExecution } from '../../workers/item-execution.js';
import type { ItemRef } from '../item.js';

/**
 * `stopped`: something is left of it; `lost`: another process may have it now; `failed`: for good, until
 * `runs verify` puts it back.
 */
export type ItemEnd = 'done' | 'stopped' | 'lost' | 'failed';

/** An item that this worker holds, from taking it to its end. */
export class HeldItem {
  readonly ref: ItemRef;
  readonly #stopping = new AbortController();
  #execution: ItemExecution | undefined;
  #isLost = false;

  constructor(ref: ItemRef) {
    this.ref = ref;
    const { lost } = ref.job;
    if (lost.aborted) this.lose();
    lost.addEventListener('abort', () => this.lose(), { once: true });
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Aborted when it is to stop. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  attach(execution: ItemExecution): void {
    this.#execution = execution;
    if (this.stopping.aborted) execution.stop();
  }

  /** Sends nothing new for it; what is in flight may finish. */
  stop(): void {
    this.#stopping.abort();
    this.#execution?.stop();
  }

  /** Another process may have it: nothing is stored any more, and nothing is sent. */
  lose(): void {
    this.#isLost = true;
    this.stop();
  }

  applyNotice(url: number, notice: EndpointNotice): void {
    this.#execution?.applyNotice(url, notice);
  }

  holdReading(isHeld: boolean): void {
    this.#execution?.holdReading(isHeld);
  }
}
