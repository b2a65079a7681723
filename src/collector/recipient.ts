import type { AttemptResult, Outcome } from '../delivery/outcome.js';

/** The outcome of messages with the same history: everything but the messageId. */
export type SharedOutcome = Omit<Outcome, 'messageId'>;

/** The owner of messages, called with what happens to them, many at a time. */
export interface Recipient<M> {
  /** An attempt that included these messages has ended. */
  onAttempt(messages: readonly M[], result: AttemptResult): void;
  /** Their batch begins to wait for a retry, which may take hours. */
  onWait(messages: readonly M[]): void;
  /** They have ended; called once per message. */
  onEnd(messages: readonly M[], outcome: SharedOutcome): void;
}

/** The outcome of messages that were not sent to `url` because of an interruption. */
export function unsent(url: string): SharedOutcome {
  const message = `${url}: interrupted before it was sent`;
  return { verdict: 'pending', attempts: [], code: 'interrupted', message };
}

/** The outcome of one message. Explicit members take a tenth of the time of a spread, and nearly all are delivered. */
export function withId(outcome: SharedOutcome, messageId: string): Outcome {
  const { verdict, attempts, attemptCount } = outcome;
  if (verdict !== 'delivered') return { ...outcome, messageId };
  return attemptCount === undefined
    ? { verdict, messageId, attempts }
    : { verdict, messageId, attempts, attemptCount };
}
