import type { AttemptError, AttemptResult } from '../../delivery/outcome.js';
import type { EventIdentity } from '../event-identity.js';

/** What an event has come to at a destination, for now or for good. */
export interface Forwarding extends EventIdentity {
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
