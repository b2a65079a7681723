import type { AttemptResult, LegState } from './outcome.js';
import { nextAttemptAt, type RetryPolicy } from './schedule.js';

/** The state of a leg after one more try. `now` is when its result came. */
export function afterTry(
  before: LegState | undefined,
  result: AttemptResult,
  policy: RetryPolicy,
  now: number,
): LegState {
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
export function isLate(leg: LegState, policy: RetryPolicy, now: number): boolean {
  return leg.attempts > 0 && now > leg.firstAt + policy.windowMs;
}
