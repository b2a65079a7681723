import { afterAttempt } from '../../delivery/endpoint-state.js';
import type { EndpointDeliveryState, Outcome } from '../../delivery/outcome.js';
import { defaultRetryDelaysMs, type RetryPolicy } from '../../delivery/retry-schedule.js';
import { defaults } from '../../defaults.js';
import type { WebhookDestinationOptions } from '../../webhook/options.js';
import type { QueuedEvent } from '../store/stored.js';

type Schedule = Pick<WebhookDestinationOptions, 'retryWindowMs' | 'retryDelaysMs'>;

/**
 * The outcome of an event whose attempt was interrupted by a bug of the program. It counts as an
 * attempt at each due URL: the event is retried by the usual schedule, and then becomes a dead letter.
 */
export function interruptedOutcome(
  { stamp: { messageId }, endpointDeliveries: before }: QueuedEvent,
  urls: readonly string[],
  delivery: Schedule,
  now: number,
): Outcome {
  const policy = policyOf(delivery);
  const endpointDeliveries = urls.map((url, index) =>
    stateAfter(before?.[index], url, policy, now),
  );
  const due = endpointDeliveries.flatMap(({ dueAt }) => (dueAt === undefined ? [] : [dueAt]));
  return {
    verdict: due.length > 0 ? 'pending' : 'failed',
    messageId,
    attempts: [],
    attemptCount: endpointDeliveries.reduce((sum, { attempts }) => sum + attempts, 0),
    code: 'internal_error',
    message: 'an internal error of evfwd ended the attempt; see the log',
    ...(due.length > 0 && {
      retry: { dueAt: Math.min(...due), endpointDeliveries },
    }),
  };
}

function policyOf({ retryWindowMs, retryDelaysMs }: Schedule): RetryPolicy {
  return {
    windowMs: retryWindowMs ?? defaults.retryWindowMs,
    delaysMs: retryDelaysMs ?? defaultRetryDelaysMs,
    random: () => 0.5,
  };
}

function stateAfter(
  before: EndpointDeliveryState | undefined,
  url: string,
  policy: RetryPolicy,
  now: number,
): EndpointDeliveryState {
  if (before && !isToAttempt(before, now)) return before;
  const attempt = (before?.attempts ?? 0) + 1;
  const attempted = { url, attempt, at: now, durationMs: 0, status: null };
  const result = { ...attempted, error: 'internal_error', verdict: 'retry' } as const;
  return afterAttempt(before, result, policy, now);
}

function isToAttempt({ attempts, dueAt = Infinity }: EndpointDeliveryState, now: number): boolean {
  return attempts === 0 || dueAt <= now;
}
