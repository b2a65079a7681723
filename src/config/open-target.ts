import type { DownReason } from '../delivery/circuit-breaker.js';
import type { EndpointNotice } from '../delivery/endpoint-notice.js';
import type { LeaseRequest, TurnLease } from '../turn-lease.js';
import type { AttemptResult } from '../delivery/outcome.js';
import type { Platform } from '../delivery/platform.js';
import type { Target } from '../delivery/target.js';
import type { ClientCertificate } from '../http/tls.js';
import { withoutQuery } from '../http/url.js';
import type { SigningSettings } from '../sign/request-signer.js';
import type { BatchSettings } from '../webhook/batch-settings.js';
import type { BodyForm } from '../webhook/body-form.js';
import type { ConnectionsOptions, WebhookConnections } from '../webhook/connections.js';
import type { TargetContext } from './target.js';

/** A target with everything that its requests need. */
export type TargetSettings = (
  | (Extract<TargetContext, { kind: 'webhooks' }> & {
      /** How requests are signed. Default: not at all. */
      readonly signing?: readonly SigningSettings[];
      /** Default: `webhook`. */
      readonly body?: BodyForm;
      /** How many events go in one request. Default: each is one. */
      readonly batch?: BatchSettings;
    })
  | Extract<TargetContext, { kind: 'collector' }>
) & {
  readonly timeoutMs: number;
  readonly retryWindowMs: number;
  readonly allUrls: boolean;
  readonly ignoreIntegrations: boolean;
  readonly ca: readonly string[];
  readonly clientCertificate?: ClientCertificate | undefined;
};

export interface OpenTargetOptions {
  /** Default: that of the system; collectors take no network from it. */
  readonly platform?: Platform;
  readonly concurrency: number;
  /** Completes an event that needs a retry as `pending`, instead of keeping it in memory. */
  readonly returnsRetries?: boolean;
  /** A 410 disables its URL for the whole run, not only for its event. Default false. */
  readonly disablesOnGone?: boolean;
  /** With a collector: how long an event waits at most for its batch to fill, in milliseconds. */
  readonly flushAfterMs?: number;
  /** Called when a URL is considered down, with the reason, and when it is reachable again. */
  readonly onDown?: (url: string, isDown: boolean, reason?: DownReason) => void;
  /** Called with what a response means for a URL as a whole; `queue` is the index of the URL. */
  readonly onNotice?: (queue: number, notice: EndpointNotice) => void;
  /**
   * Called when a token endpoint refuses the credentials, with a sentence that names it and its setting: the target is to
   * be interrupted then. Default: attempts without a token fail, and are retried.
   */
  readonly onRefused?: ((reason: string) => void) | undefined;
  /** Asked before each probe of a URL that is down, by its index. Default: always. */
  readonly mayProbe?: (queue: number) => Promise<boolean>;
  /** With webhooks: as of `ConnectionsListener`. */
  readonly leaseTurns?: (queue: number, request: LeaseRequest) => Promise<TurnLease | undefined>;
  readonly onAttempt: (result: AttemptResult, messageId: string) => void;
  /** Those of `openConnections`, for the same settings. Default: the target has its own. */
  readonly connections?: WebhookConnections | undefined;
}

/**
 * Connections that several webhook targets can share; undefined for a collector.
 *
 * @throws UsageError when an endpoint cannot be used.
 */
export async function openConnections(
  settings: TargetSettings,
  {
    platform,
    ...options
  }: Pick<
    ConnectionsOptions,
    'concurrency' | 'disablesOnGone' | 'stopsWhenRefused' | 'asksBeforeProbe' | 'sharesRates'
  > &
    Pick<OpenTargetOptions, 'platform'>,
): Promise<WebhookConnections | undefined> {
  if (settings.kind === 'collector') return undefined;
  const { checkEndpoints } = await import('../webhook/settings.js');
  checkEndpoints(settings.endpoints, settings.where);
  const { WebhookConnections } = await import('../webhook/connections.js');
  return new WebhookConnections({ ...settings, ...options, ...platform });
}

/** @throws UsageError when an endpoint or header cannot be used. */
export async function openTarget(
  settings: TargetSettings,
  { platform, onRefused, ...options }: OpenTargetOptions,
): Promise<Target> {
  if (settings.kind === 'collector') {
    const { CollectorTarget, collectorUrl } = await import('../collector/target.js');
    collectorUrl(settings.endpoint, settings.where);
    return new CollectorTarget({ ...settings, ...options, ...platform });
  }
  const { checkEndpoints } = await import('../webhook/settings.js');
  checkEndpoints(settings.endpoints, settings.where);
  const { openWebhooks } = await import('../webhook/open-webhooks.js');
  const { checkHeadersBeside } = await import('../webhook/signing.js');
  checkHeadersBeside(settings.signing ?? [], settings.endpoints, settings.where);
  return openWebhooks({
    ...{ ...settings, ...options, ...platform },
    ...(onRefused && {
      onRefused: (index, reason) => onRefused(refusalText(settings, index, reason)),
    }),
  });
}

/** Why a token endpoint gives no token to the endpoint with this index, with the setting that is wrong. */
export function refusalText(
  { endpoints, where }: Extract<TargetContext, { kind: 'webhooks' }>,
  index: number,
  reason: string,
): string {
  return `${where}: auth.oauth2 of ${withoutQuery(endpoints[index]!.url)}: ${reason}`;
}

/**
 * Opens a target only to check it, and returns its URLs.
 *
 * @throws UsageError as `openTarget`
 */
export async function checkTarget(
  settings: TargetSettings,
  platform?: Platform,
): Promise<readonly string[]> {
  const target = await openTarget(settings, {
    ...(platform && { platform }),
    concurrency: 1,
    onAttempt: () => undefined,
  });
  await target.close();
  return target.urls;
}
