import type { Clock } from '../../clock.js';
import type { DownReason } from '../../delivery/circuit-breaker.js';
import type { AttemptResult, Outcome } from '../../delivery/outcome.js';
import type { Outgoing } from '../../delivery/target.js';
import { verdictOfRepairable } from '../../delivery/verdict.js';
import { privateNetworkGuard } from '../../net/private-networks.js';
import { withoutFilter } from '../../webhook/endpoint-filters.js';
import { openWebhooks } from '../../webhook/open-webhooks.js';
import type { WebhookSender, WebhookTargetOptions } from '../../webhook/target.js';
import { RawOutgoing } from '../raw/outgoing.js';
import type { EventRecord } from '../event-record.js';
import type { OnRepeated, ServiceStore } from '../store/service-store.js';
import type { Destination } from '../types.js';

/** Options of attempts, for tests; the defaults are the documented ones. */
export type DeliveryOptions = Pick<
  WebhookTargetOptions,
  'timeoutMs' | 'retryWindowMs' | 'retryDelaysMs' | 'concurrency' | 'ca' | 'random' | 'network'
>;

/** Callbacks about destinations, by their names. */
export interface ForwardingListener {
  /** An attempt has ended. */
  onAttempt?(destination: string, result: AttemptResult, messageId: string): void;
  /** An event has ended or will be retried; called before that is durable. */
  onForwarding?(record: EventRecord): void;
  /** An event was skipped because its source had sent its messageId within a day. */
  onRepeated?: OnRepeated;
  /** A URL is considered down, or has recovered. */
  onDown?(destination: string, url: string, isDown: boolean, reason?: DownReason): void;
  /** A URL is paused by its Retry-After until then (milliseconds since 1970), or no longer. */
  onPause?(destination: string, url: string, untilMs: number | undefined): void;
  /** The store cannot be read; the read is retried. */
  onFailure?(error: unknown): void;
  /** An unexpected exception; no event is lost. */
  onDefect?(error: unknown): void;
}

export interface SenderOptions {
  readonly store: ServiceStore;
  readonly clock: Clock;
  readonly delivery: DeliveryOptions;
  readonly listener: ForwardingListener;
}

/** Called before the listener of the options, which is told the same. */
export interface SenderCallbacks {
  readonly onDown: (url: string, isDown: boolean) => void;
  readonly onPause: (url: string, untilMs: number | undefined) => void;
  readonly onAttempt: (result: AttemptResult) => void;
}

/** Opens what sends to the URLs of a destination. @throws UsageError when the destination is not valid. */
export function openSender(
  destination: Destination,
  options: SenderOptions,
  { onDown, onPause, onAttempt }: SenderCallbacks,
): WebhookSender {
  const { listener, store } = options;
  const { name } = destination;
  const sender: WebhookSender = openWebhooks({
    ...optionsOf(destination, options),
    reportsAtOnce: true,
    ...sharedEndpoints(destination, store, () => sender.urls),
    onDown: (url, isDown, reason?: DownReason) => {
      onDown(url, isDown);
      listener.onDown?.(name, url, isDown, reason);
    },
    onPause: (url, untilMs) => {
      onPause(url, untilMs);
      listener.onPause?.(name, url, untilMs);
    },
    onAttempt: (result, messageId) => {
      onAttempt(result);
      listener.onAttempt?.(name, result, messageId);
    },
  });
  return sender;
}

/** Sends one event once, without storing it; at once, also to a URL that is down or paused. */
export async function sendOnce(
  destination: Destination,
  options: SenderOptions,
  outgoing: Outgoing,
): Promise<Outcome> {
  // Its outcome has the attempts at all URLs, whatever events they want.
  const endpoints = destination.endpoints.map(withoutFilter);
  const target = openWebhooks(optionsOf({ ...destination, endpoints }, options));
  try {
    const ended = new Promise<Outcome>((resolve) => target.send(outgoing, resolve));
    await target.drain();
    return await ended;
  } finally {
    await target.close();
  }
}

/** What other instances have to know of the URLs, and be asked before a probe or for turns of a rate. */
function sharedEndpoints(
  { name, endpoints: settings }: Destination,
  { endpoints }: ServiceStore,
  urls: () => readonly string[],
): Pick<WebhookTargetOptions, 'onNotice' | 'mayProbe' | 'leaseTurns'> {
  if (!endpoints) return {};
  return {
    onNotice: (index, notice) => endpoints.publish(name, urls()[index]!, notice),
    mayProbe: (index) => endpoints.mayProbe(name, urls()[index]!),
    leaseTurns: (index, request) =>
      endpoints.leaseTurns(name, index, settings[index]?.rate ?? Infinity, request),
  };
}

function optionsOf(
  destination: Destination,
  { clock, listener, delivery }: SenderOptions,
): WebhookTargetOptions & Pick<Destination, 'batch'> {
  const { name, integrationName, endpoints, batch, signing, allowPrivateNetworks } = destination;
  const own = deliveryOf(destination, delivery);
  return {
    ...own,
    clock,
    ownRequests: new RawOutgoing(destination, () => clock.now()),
    endpoints,
    ...(batch && { batch }),
    signing,
    sourceSecrets: destination.sourceSecrets,
    ...(!allowPrivateNetworks && { guard: privateNetworkGuard(own.network?.resolve) }),
    name: integrationName,
    returnsRetries: true,
    verdictOfError: verdictOfRepairable,
    namesKeys: true,
    onAttempt: (result, messageId) => listener.onAttempt?.(name, result, messageId),
  };
}

/** With the retry window of the destination, if it has one. */
export function deliveryOf(
  { retryWindowMs }: Destination,
  delivery: DeliveryOptions,
): DeliveryOptions {
  return retryWindowMs === undefined ? delivery : { ...delivery, retryWindowMs };
}
