import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.js';
import type { Outcome } from '../../delivery/outcome.js';
import { builtHere, type EventType } from '../../events/event.js';
import { TextEvent } from '../../events/text-event.js';
import { privateNetworkGuard } from '../../net/private-networks.js';
import { WebhookTarget } from '../../webhook/target.js';
import type { DeliveryOptions } from '../forward/sender.js';
import type { Destination } from '../types.js';
import type { Alert } from './alert.js';

export interface AlertSenderOptions {
  readonly clock: Clock;
  /** Those of attempts at destinations; the retries of alerts are their own. */
  readonly delivery: DeliveryOptions;
  /** Whether an alert that failed is sent again a few times. Default true. */
  readonly retries?: boolean;
}

/** Five attempts at most, within less than a minute. */
const retryWindowMs = 40_000;
const retryDelaysMs = [2_000, 6_000, 18_000];

/** Posts alerts, signed as any webhook. */
export class AlertSender {
  readonly #options: AlertSenderOptions;
  readonly #live = new Set<WebhookTarget>();
  #isInterrupted = false;

  constructor(options: AlertSenderOptions) {
    this.#options = options;
  }

  /** Resolves to `pending` when it was interrupted. @throws UsageError for a destination whose alerts cannot be used */
  async send(destination: Destination, alert: Alert): Promise<Outcome> {
    const bytes = Buffer.from(JSON.stringify(alert));
    // Targets were made for events. Nothing that this one does asks for the type.
    const event = new TextEvent(bytes, 'alert' as EventType, builtHere('alert', bytes.length));
    const stamp = { messageId: `evfwd-alert-${randomUUID()}`, writesMessageId: false };
    const target = this.#targetFor(destination);
    this.#live.add(target);
    try {
      if (this.#isInterrupted) target.interrupt();
      return await new Promise((resolve) => target.send({ event, stamp }, resolve));
    } finally {
      this.#live.delete(target);
      await target.close();
    }
  }

  /** From now on nothing is sent again; requests in flight may end until `close`. */
  interrupt(): void {
    this.#isInterrupted = true;
    for (const target of this.#live) target.interrupt();
  }

  async close(): Promise<void> {
    this.interrupt();
    await Promise.all([...this.#live].map((target) => target.close()));
  }

  #targetFor({ alerts, allowPrivateNetworks }: Destination): WebhookTarget {
    const { clock, delivery, retries = true } = this.#options;
    const { url, proxy, signing } = alerts!;
    return new WebhookTarget({
      ...delivery,
      clock,
      endpoints: [{ url, ...(proxy !== undefined && { proxy }) }],
      signing: signing ?? [],
      ...(!allowPrivateNetworks && { guard: privateNetworkGuard(delivery.network?.resolve) }),
      ...{ body: 'original', ignoreIntegrations: true, concurrency: 1 },
      ...{ retryWindowMs: retries ? retryWindowMs : 0, retryDelaysMs },
    });
  }
}
