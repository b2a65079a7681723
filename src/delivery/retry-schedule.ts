/** When an event is tried again, and until when. */
export interface RetryPolicy {
  /** How long one event is retried, from its first try, in milliseconds; 0 never retries. */
  readonly windowMs: number;
  /** The wait after the first try, the second, …; the last one repeats. */
  readonly delaysMs: readonly number[];
  /** A number in [0, 1), handed in so that tests can fix the jitter. */
  readonly random: () => number;
}

const second = 1000;
const minute = 60 * second;

/** Section 4 of the interface: about ten tries in four hours. */
export const defaultRetryDelaysMs: readonly number[] = [
  5 * second,
  15 * second,
  45 * second,
  2 * minute,
  5 * minute,
  10 * minute,
  20 * minute,
  40 * minute,
  60 * minute,
  60 * minute,
];

/** Waits vary by a fifth either way, so that events that failed together do not return together. */
const jitter = 0.2;

/** The longest wait of the default schedule, in milliseconds: its last one, and a fifth. */
export const longestDelayMs = 72 * minute;

/** What is known when a try has failed; times in milliseconds since 1970. */
export interface FailedAttempt {
  /** How many tries were made, this one included. */
  readonly attempts: number;
  /** When the first try began. */
  readonly firstAt: number;
  readonly now: number;
  readonly retryAfterMs?: number | undefined;
}

/**
 * When to try again (milliseconds since 1970), or undefined to give up.
 *
 * A wait that would pass the end of the window is cut, so that the last try falls just inside it;
 * a `Retry-After` that passes the end is obeyed by giving up.
 */
export function nextAttemptAt(policy: RetryPolicy, failed: FailedAttempt): number | undefined {
  const end = failed.firstAt + policy.windowMs;
  const margin = lastAttemptMarginMs(policy.windowMs);
  if (failed.now >= end - 2 * margin) return undefined;
  if (failed.retryAfterMs !== undefined) {
    const asked = failed.now + failed.retryAfterMs;
    return asked <= end ? asked : undefined;
  }
  return Math.min(failed.now + backoffMs(policy, failed.attempts), end - margin);
}

function backoffMs(policy: RetryPolicy, attempts: number): number {
  const { delaysMs, random } = policy;
  const delay = delaysMs[Math.min(attempts, delaysMs.length) - 1] ?? 0;
  return delay * (1 - jitter + 2 * jitter * random());
}

/** Timers fire late, never early: a last try aimed at the very end would fall behind it. */
function lastAttemptMarginMs(windowMs: number): number {
  return Math.min(second, windowMs / 20);
}
