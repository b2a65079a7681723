import type { AttemptError, AttemptResult } from '../../deliver/outcome.js';
import type { Recognised } from '../recognise.js';

/** What an event has come to at a destination, for now or for good. */
export interface Forwarding extends Recognised {
  /** When it came to that; milliseconds since 1970. */
  readonly at: number;
  readonly destination: string;
  readonly source: string;
  readonly messageId: string;
  readonly receivedAt: number;
  /** `retry`: it is to be tried again. */
  readonly verdict: 'delivered' | 'failed' | 'skipped' | 'retry';
  /** Tries of this turn; what goes on at other URLs after one has taken it is still added. */
  readonly attempts: readonly AttemptResult[];
  /** Tries in all. */
  readonly tries: number;
  /** Of the last try. */
  readonly status: number | null;
  readonly error: AttemptError | null;
  /** Of the last try. */
  readonly durationMs: number;
  /** Unless delivered: why. */
  readonly code: string | undefined;
  readonly message: string | undefined;
  /** When it is tried again, if it is; milliseconds since 1970. */
  readonly nextAt: number | undefined;
}

/** So many of the newest are kept of each destination. */
const maxRecent = 1_000;

/** The newest forwardings, in memory alone. */
export class Recent {
  readonly #ring: Forwarding[] = [];
  #next = 0;

  add(forwarding: Forwarding): void {
    this.#ring[this.#next] = forwarding;
    this.#next = (this.#next + 1) % maxRecent;
  }

  /** The newest first. */
  list(limit: number): Forwarding[] {
    const inOrder = [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)];
    return inOrder.reverse().slice(0, limit);
  }
}
