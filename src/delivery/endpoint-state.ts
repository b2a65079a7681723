import type { AttemptResult, EndpointDeliveryState } from './outcome.js';
import { nextAttemptAt, type RetryPolicy } from './retry-schedule.js';

/** The state of a leg after one more try. `now` is when its result came. */
export function afterAttempt(
  before: EndpointDeliveryState | undefined,
  result: AttemptResult,
  policy: RetryPolicy,
  now: number,
): EndpointDeliveryState {
  const attempts = (before?.attempts ?? 0) + 1;
  const firstAt = before?.attempts ? before.firstAt : now - result.durationMs;
  const { status, error, verdict, retryAfterMs } = result;
  const state = { attempts, firstAt, status, error };
  if (verdict === 'delivered') return { ...state, isDelivered: true };
  if (verdict === 'failed') return state;
  const dueAt = nextAttemptAt(policy, { attempts, firstAt, now, retryAfterMs });
  return dueAt === undefined ? state : { ...state, dueAt };
}

/** Whether the window in which it may be tried again has ended. */
export function isPastWindow(
  endpointDelivery: EndpointDeliveryState,
  policy: RetryPolicy,
  now: number,
): boolean {
  return endpointDelivery.attempts > 0 && now > endpointDelivery.firstAt + policy.windowMs;
}

/**
 * The state of an event that is due, so that its first URL is: the clock may have been set back since it
 * was stored. All URLs keep their distances. `now` is in milliseconds since 1970.
 *
 * When the first attempt began stays as it is: the clock may be wrong for a moment only, and an event that
 * became older by that would be given up.
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
