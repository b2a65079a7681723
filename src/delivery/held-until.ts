import type { EndpointQueue } from './endpoint-queue.js';
import type { EndpointProgress } from './endpoint-state.js';
import { lastAttemptAt, type RetryPolicy } from './retry-schedule.js';

type Attempted = Pick<EndpointProgress, 'attempts' | 'firstAt'>;

/**
 * When to look again at an event whose URL is paused or down, milliseconds since 1970: by its last attempt, and
 * past that when its window has ended.
 */
export function heldUntil(
  queue: EndpointQueue,
  event: Attempted,
  policy: RetryPolicy,
  now: number,
): number {
  limitPause(queue, event, policy, now);
  const until = queue.heldUntil;
  if (event.attempts === 0) return until;
  const lastAt = lastAttemptAt(policy, event.firstAt);
  if (until <= lastAt) return until;
  return now < lastAt ? lastAt : event.firstAt + policy.windowMs + 1;
}

/** Ends a pause so early that the last attempt of an event fits its window. */
export function limitPause(
  queue: EndpointQueue,
  { attempts, firstAt }: Attempted,
  policy: RetryPolicy,
  now: number,
): void {
  const lastAt = lastAttemptAt(policy, firstAt);
  if (attempts > 0 && now < lastAt) queue.endPauseBy(lastAt);
}
