import type { AttemptResult, Outcome as FlatOutcome } from './outcome.js';

/** How an event ended, as the library says it: `verdict` decides which members there are. */
export type Outcome =
  DeliveredOutcome | FailedOutcome | RejectedOutcome | SkippedOutcome | PendingOutcome;

/** One URL has accepted the event; with `allUrls`, every URL has. */
export interface DeliveredOutcome extends Attempted {
  readonly verdict: 'delivered';
  /** The id that was sent. */
  readonly messageId: string;
}

/** The event was given up: after a final response, or at the end of the retry window. */
export interface FailedOutcome extends Attempted, NotDelivered {
  readonly verdict: 'failed';
  /** The id that was sent. */
  readonly messageId: string;
}

/** It is not a valid event, so nothing was sent. `code` names the broken rule. */
export interface RejectedOutcome extends Attempted, NotDelivered {
  readonly verdict: 'rejected';
  readonly messageId: undefined;
}

/** Its `integrations` turn the destination off, so nothing was sent. `code` is `integration_off`. */
export interface SkippedOutcome extends Attempted, NotDelivered {
  readonly verdict: 'skipped';
  readonly messageId: string;
}

/** `close()` was called before the event had ended. */
export interface PendingOutcome extends Attempted, NotDelivered {
  readonly verdict: 'pending';
  readonly messageId: string;
}

/** The outcome of one message of a `Client`. */
export type MessageOutcome = DeliveredOutcome | FailedOutcome;

/** What was tried. */
export interface Attempted {
  /** Every attempt, oldest first; empty if nothing was sent. */
  readonly attempts: readonly AttemptResult[];
}

/** Why an event was not delivered. */
export interface NotDelivered {
  /** Stable: `status_404`, `timeout`, `tls`, `missing_event`, … */
  readonly code: string;
  /** One sentence with the reason. */
  readonly message: string;
}

/**
 * The same outcome without what only the program needs.
 * @internal
 */
export function publicOutcome(outcome: FlatOutcome): Outcome {
  const { verdict, attempts } = outcome;
  // A destination knows the id of each valid event, and why one was not delivered.
  const messageId = outcome.messageId!;
  if (verdict === 'delivered') return { verdict, messageId, attempts };
  const reason = { code: outcome.code!, message: outcome.message! };
  return verdict === 'rejected'
    ? { verdict, messageId: undefined, attempts, ...reason }
    : { verdict, messageId, attempts, ...reason };
}
