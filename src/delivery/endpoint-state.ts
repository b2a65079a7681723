import type { AttemptError, AttemptResult, EndpointDeliveryState, Verdict } from './outcome.js';
import { nextAttemptAt, type RetryPolicy } from './retry-schedule.js';

/** The state of one event at one URL while it is delivered; mutable, since an object per attempt costs CPU time. */
export interface EndpointProgress {
  attempts: number;
  /** When the first attempt began; milliseconds since 1970. */
  firstAt: number;
  /** What the last attempt came to; verdict is undefined before the first one. */
  status: number | null;
  error: AttemptError | null;
  detail: string | undefined;
  verdict: Verdict | undefined;
  /** When the next attempt is due (milliseconds since 1970); undefined if there is none. */
  dueAt: number | undefined;
}

/**
 * Adds one more attempt, which ended at `now`, and schedules the next one. Without a policy there is no
 * next one.
 */
export function applyAttempt(
  progress: EndpointProgress,
  result: AttemptResult,
  policy: RetryPolicy | undefined,
  now: number,
): void {
  const { status, error, detail, verdict, durationMs, retryAfterMs } = result;
  if (progress.attempts === 0) progress.firstAt = now - durationMs;
  progress.attempts++;
  progress.status = status;
  progress.error = error;
  progress.detail = detail;
  progress.verdict = verdict;
  const { attempts, firstAt } = progress;
  if (verdict !== 'retry' || !policy) progress.dueAt = undefined;
  else if (result.retriesAtOnce) progress.dueAt = now;
  else progress.dueAt = nextAttemptAt(policy, { attempts, firstAt, now, retryAfterMs });
}

/** The same state as plain data, to be stored between attempts. */
export function storedState(progress: EndpointProgress): EndpointDeliveryState {
  const { attempts, firstAt, status, error, detail, verdict, dueAt } = progress;
  return {
    ...{ attempts, firstAt, status, error },
    ...(detail !== undefined && { detail }),
    ...(dueAt !== undefined && { dueAt }),
    ...(verdict === 'delivered' && { isDelivered: true }),
  };
}

/** The stored state after one more attempt, which ended at `now`. */
export function afterAttempt(
  before: EndpointDeliveryState | undefined,
  result: AttemptResult,
  policy: RetryPolicy,
  now: number,
): EndpointDeliveryState {
  const { attempts = 0, firstAt = 0 } = before ?? {};
  const progress = { attempts, firstAt, ...notAttempted };
  applyAttempt(progress, result, policy, now);
  return storedState(progress);
}

const notAttempted = {
  status: null,
  error: null,
  detail: undefined,
  verdict: undefined,
  dueAt: undefined,
};

/** Whether the retry window, which begins with the first attempt, had ended when the next one was due. */
export function isPastWindow(
  { attempts, firstAt, lateMs = 0 }: Pick<EndpointDeliveryState, 'attempts' | 'firstAt' | 'lateMs'>,
  policy: RetryPolicy,
  now: number,
): boolean {
  return attempts > 0 && now - lateMs > firstAt + policy.windowMs;
}

/**
 * Shifts the states of a due event so that its first retry is due by `now` (milliseconds since 1970), since
 * the clock may have been set back after they were stored. The distances between URLs stay.
 *
 * `firstAt` is not shifted: the clock may be wrong only briefly, and an event that became older would be
 * given up.
 */
export function dueBy(
  now: number,
  endpointDeliveries: readonly EndpointDeliveryState[],
): readonly EndpointDeliveryState[] {
  const aheadMs = Math.min(...endpointDeliveries.map(({ dueAt }) => dueAt ?? Infinity)) - now;
  if (aheadMs === Infinity || aheadMs <= 0) return endpointDeliveries;
  return endpointDeliveries.map((endpointDelivery) =>
    endpointDelivery.dueAt === undefined
      ? endpointDelivery
      : { ...endpointDelivery, dueAt: endpointDelivery.dueAt - aheadMs },
  );
}
