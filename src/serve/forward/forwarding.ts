import type { AttemptError, AttemptResult, ResponseExcerpt } from '../../delivery/outcome.js';
import type { EventIdentity } from '../event-identity.js';

/** The result of forwarding an event to a destination: final, or to be retried. */
export interface Forwarding extends EventIdentity {
  /** Time of the result; milliseconds since 1970. */
  readonly at: number;
  readonly destination: string;
  readonly source: string;
  readonly messageId: string;
  readonly receivedAt: number;
  /** `retry`: it will be attempted again. */
  readonly verdict: 'delivered' | 'failed' | 'skipped' | 'retry';
  /** Attempts of this round; those at other URLs that end after the event is delivered are still added. */
  readonly attempts: readonly AttemptResult[];
  /** All attempts, including earlier rounds. */
  readonly attemptCount: number;
  /** Of the last attempt. */
  readonly status: number | null;
  readonly error: AttemptError | null;
  /** Of the last attempt. */
  readonly durationMs: number;
  /** What the last response said, unless delivered. */
  readonly response: ResponseExcerpt | undefined;
  /** Unless delivered: why. */
  readonly code: string | undefined;
  readonly message: string | undefined;
  /** Time of the next attempt, if any; milliseconds since 1970. */
  readonly nextAt: number | undefined;
}
