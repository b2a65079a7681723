import type { EndpointNotice } from '../delivery/endpoint-notice.js';
import type { AttemptResult } from '../delivery/outcome.js';
import type { Target } from '../delivery/target.js';
import type { TargetContext } from './target.js';

/** A target's place with everything that its requests need. */
export type TargetSettings = (
  | (Extract<TargetContext, { kind: 'webhooks' }> & { readonly sharedSecret?: string | Uint8Array })
  | Extract<TargetContext, { kind: 'collector' }>
) & {
  readonly timeoutMs: number;
  readonly retryWindowMs: number;
  readonly allUrls: boolean;
  readonly ignoreIntegrations: boolean;
  readonly ca: readonly string[];
};

export interface OpenTargetOptions {
  readonly concurrency: number;
  /** Ends an event that is to be tried again as `pending`, instead of waiting with it in memory. */
  readonly handsBack?: boolean;
  /** A 410 ends its URL for the whole run, and not only its event. Default false. */
  readonly disablesOnGone?: boolean;
  /** With a collector: the longest that an event waits for its batch to fill, in milliseconds. */
  readonly flushAfterMs?: number;
  /** Told when a URL is taken to be down, and when it answers again. */
  readonly onDown?: (url: string, isDown: boolean) => void;
  /** Told what an answer says about a URL as a whole, by the URL's position. */
  readonly onNotice?: (queue: number, notice: EndpointNotice) => void;
  readonly onAttempt: (result: AttemptResult, messageId: string) => void;
}

/** @throws UsageError when an endpoint or header cannot be used. */
export async function openTarget(
  settings: TargetSettings,
  options: OpenTargetOptions,
): Promise<Target> {
  if (settings.kind === 'collector') {
    const { CollectorTarget, collectorUrl } = await import('../collector/target.js');
    collectorUrl(settings.endpoint, '--endpoint');
    return new CollectorTarget({ ...settings, ...options });
  }
  const { checkEndpoints } = await import('../webhook/settings.js');
  checkEndpoints(settings.endpoints, settings.where);
  const { WebhookDestination } = await import('../webhook/destination.js');
  return new WebhookDestination({ ...settings, ...options });
}
