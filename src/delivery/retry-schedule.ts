/** When an event is retried, and until when. */
export interface RetryPolicy {
  /** How long one event is retried, from its first attempt, in milliseconds; 0 never retries. */
  readonly windowMs: number;
  /** The wait after the first attempt, the second, …; the last one repeats. */
  readonly delaysMs: readonly number[];
  /** A number in [0, 1), handed in so that tests can fix the jitter. */
  readonly random: () => number;
}

const second = 1000;
const minute = 60 * second;

/** About ten attempts in four hours. */
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

/** Waits vary by up to a fifth, so that events that failed together are not retried together. */
const jitter = 0.2;

/** The longest wait of the default schedule, jitter included, in milliseconds. */
export const maxDelayMs = 72 * minute;

/** A failed attempt; times in milliseconds since 1970. */
export interface FailedAttempt {
  /** Number of attempts made, this one included. */
  readonly attempts: number;
  /** When the first attempt began. */
  readonly firstAt: number;
  readonly now: number;
  readonly retryAfterMs?: number | undefined;
}

/**
 * When to retry (milliseconds since 1970), or undefined to give up. A wait that would exceed the window, also
 * one requested by `Retry-After`, is shortened, so that the last attempt is made just inside it.
 */
export function nextAttemptAt(policy: RetryPolicy, failed: FailedAttempt): number | undefined {
  const lastAt = lastAttemptAt(policy, failed.firstAt);
  if (failed.now >= lastAt - lastAttemptMarginMs(policy.windowMs)) return undefined;
  const waitMs = failed.retryAfterMs ?? backoffMs(policy, failed.attempts);
  return Math.min(failed.now + waitMs, lastAt);
}

/** When the last attempt of an event is due whose first one began at `firstAt`; milliseconds since 1970. */
export function lastAttemptAt(policy: RetryPolicy, firstAt: number): number {
  return firstAt + policy.windowMs - lastAttemptMarginMs(policy.windowMs);
}

function backoffMs(policy: RetryPolicy, attempts: number): number {
  const { delaysMs, random } = policy;
  const delay = delaysMs[Math.min(attempts, delaysMs.length) - 1] ?? 0;
  return delay * (1 - jitter + 2 * jitter * random());
}

/** Timers fire late, so a last attempt scheduled at the very end of the window would miss it. */
function lastAttemptMarginMs(windowMs: number): number {
  return Math.min(second, windowMs / 20);
}
