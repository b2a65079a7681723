import type { EventState } from '../api/serve.js';
import type { AttemptResult, ResponseExcerpt } from '../delivery/outcome.js';
import type { EventIdentity } from './event-identity.js';

/**
 * What is known of an event at a destination, wherever it comes from: what forwarding reports, the delivery log and
 * the store. `shown` makes an `EventAtDestination` of it for the API. Times are in milliseconds since 1970.
 */
export interface EventRecord extends EventIdentity {
  readonly state: EventState;
  readonly source: string;
  /** Null if it was repeated, or its source has no destination. */
  readonly destination: string | null;
  readonly messageId: string;
  readonly receivedAt: number;
  /** When it came to its state. Of one that waits, as lists read it from the store: when it was received. */
  readonly at: number;
  /** All attempts, including earlier rounds. */
  readonly attempts: number;
  /** Of the last attempt, like the next two. */
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  /** Unless delivered: why. */
  readonly code: string | null;
  readonly message: string | null;
  /** Time of the next attempt, if any. */
  readonly nextAt: number | null;
  /**
   * The attempts of this round, where they are known; those at other URLs that end after the event is delivered are
   * still added.
   */
  readonly endpoints: readonly AttemptResult[];
  /** What the last response said, unless delivered. */
  readonly response: ResponseExcerpt | null;
  /** Why a retry waits beyond `nextAt`, where it does. */
  readonly held?: string;
  /** When it was known to wait, where that is later than `at`. */
  readonly asOf?: number;
  /** Of a dead letter: its id in the API as stored; else that is made from the messageId. */
  readonly key?: string;
}

/** Of an event without an attempt. */
export const notAttempted = {
  attempts: 0,
  status: null,
  error: null,
  durationMs: 0,
  nextAt: null,
  endpoints: [],
  response: null,
} as const;
