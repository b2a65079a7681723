import type { AttemptResult, Outcome } from '../delivery/outcome.js';

/** How messages ended that have the same history: all of an outcome but the messageId. */
export type SharedOutcome = Omit<Outcome, 'messageId'>;

/** Whose messages are sent: is told what becomes of them, many at a time. */
export interface Recipient<M> {
  /** An attempt has ended in which these took part. */
  onAttempt(messages: readonly M[], result: AttemptResult): void;
  /** Their batch begins to wait for a retry, which may take hours. */
  onWait(messages: readonly M[]): void;
  /** They have ended; said once of each. */
  onEnd(messages: readonly M[], outcome: SharedOutcome): void;
}

/** The outcome of messages that an interruption keeps from `url`, which is shown. */
export function unsent(url: string): SharedOutcome {
  const message = `${url}: interrupted before it was sent`;
  return { verdict: 'pending', attempts: [], code: 'interrupted', message };
}

/** An outcome for one message. Nearly all are delivered: spelled out, that takes a tenth of a spread's time. */
export function withId(outcome: SharedOutcome, messageId: string): Outcome {
  const { verdict, attempts, attemptCount } = outcome;
  if (verdict !== 'delivered') return { ...outcome, messageId };
  return attemptCount === undefined
    ? { verdict, messageId, attempts }
    : { verdict, messageId, attempts, attemptCount };
}
