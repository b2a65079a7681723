import type { AttemptResult, SharedOutcome } from '../delivery/outcome.js';

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
