import { openConnections, openTarget, type OpenTargetOptions } from '../../config/open-target.js';
import type { Platform } from '../../delivery/platform.js';
import type { Target } from '../../delivery/target.js';
import type { WebhookConnections } from '../../webhook/connections.js';
import type { Job } from './messages.js';

/** With `isOrdered`: the next event of a user waits for the one before it, so batches rarely fill. */
const orderedFlushMs = 10;

/** The connections that a job shares with the others of its group; undefined for a collector. */
export function openJobConnections(
  { settings, concurrency, asksBeforeProbe, sharesRates }: Job,
  platform: Platform,
): Promise<WebhookConnections | undefined> {
  const rules = { concurrency, disablesOnGone: true, asksBeforeProbe, sharesRates };
  return openConnections(settings, { ...rules, stopsWhenRefused: true, platform });
}

/** What a target tells its job, and asks it for. */
export type JobTargetCallbacks = Required<
  Pick<
    OpenTargetOptions,
    'onDown' | 'onNotice' | 'onRefused' | 'onAttempt' | 'mayProbe' | 'leaseTurns'
  >
>;

/** @throws UsageError when an endpoint or header cannot be used */
export function openJobTarget(
  { settings, concurrency, isOrdered, asksBeforeProbe, sharesRates }: Job,
  parts: Pick<OpenTargetOptions, 'platform' | 'connections'>,
  { mayProbe, leaseTurns, ...callbacks }: JobTargetCallbacks,
): Promise<Target> {
  return openTarget(settings, {
    ...{ ...parts, ...callbacks, concurrency },
    returnsRetries: true,
    disablesOnGone: true,
    ...(isOrdered && { flushAfterMs: orderedFlushMs }),
    ...(sharesRates && { leaseTurns }),
    ...(asksBeforeProbe && { mayProbe }),
  });
}
