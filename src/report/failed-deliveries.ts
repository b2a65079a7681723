import { firstLineOf } from '../output/response-text.js';
import type { LoggedAttempt } from './attempt-line.js';

/** An event that a URL refused for good, as far as the log goes. */
export interface FailedDelivery {
  /** Null if the log does not say. */
  readonly messageId: string | null;
  readonly url: string;
  /** When the last attempt began, ISO 8601 in UTC. */
  readonly at: string;
  /** Number of the last attempt. */
  readonly attempt: number;
  /** One of the two is null. */
  readonly status: number | null;
  readonly error: string | null;
  /** The first line of what the response said, at most 160 characters; null without one. */
  readonly said: string | null;
}

/** How many are listed; the dead-letter file of the import has all of them. */
export const maxFailedDeliveries = 100;

/**
 * The newest failed deliveries. One that a later attempt delivers, such as that of an import of the dead
 * letters, is taken off the list.
 */
export class FailedDeliveries {
  /** In the order of the log; by event and URL. */
  readonly #newest = new Map<string, FailedDelivery>();
  #unnamed = 0;

  add(attempt: LoggedAttempt): void {
    if (attempt.verdict === 'retry') return;
    const key = this.#keyOf(attempt);
    this.#newest.delete(key);
    if (attempt.verdict === 'delivered') return;
    this.#newest.set(key, failedDelivery(attempt));
    if (this.#newest.size <= maxFailedDeliveries) return;
    const [oldest] = this.#newest.keys();
    this.#newest.delete(oldest!);
  }

  /** Newest first. */
  values(): FailedDelivery[] {
    return [...this.#newest.values()].reverse();
  }

  /** An attempt without a messageId is an event of its own. */
  #keyOf({ messageId, url }: LoggedAttempt): string {
    return messageId === undefined ? `${this.#unnamed++}` : `${messageId} ${url}`;
  }
}

function failedDelivery(attempt: LoggedAttempt): FailedDelivery {
  const { messageId = null, url, status, error, response } = attempt;
  return {
    ...{ messageId, url },
    at: new Date(Math.min(attempt.at, 8.64e15)).toISOString(),
    ...{ attempt: attempt.attempt, status, error },
    said: firstLineOf(response) ?? null,
  };
}
