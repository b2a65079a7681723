import { systemClock, type Clock } from '../clock.js';
import { defaults } from '../defaults.js';
import { Semaphore } from '../delivery/semaphore.js';
import type { EndpointNotice } from '../delivery/endpoint-notice.js';
import { EndpointQueue } from '../delivery/endpoint-queue.js';
import { LinkedList } from '../collections/linked-list.js';
import { rejection, type AttemptResult, type Outcome } from '../delivery/outcome.js';
import type { AddressGuard } from '../net/private-networks.js';
import { defaultRetryDelaysMs } from '../delivery/retry-schedule.js';
import { tlsSettings } from '../http/tls.js';
import { withoutQuery } from '../http/url.js';
import { UsageError } from '../errors.js';
import { isProblem } from '../events/event.js';
import { eventFrom, type EventInput } from '../events/given.js';
import { stampFresh } from '../events/stamp.js';
import { detachEvent } from '../events/text-event.js';
import { signer } from '../sign/signer.js';
import type { Outgoing, Target } from '../delivery/target.js';
import { webhookBody } from './body.js';
import { checkNumbers } from './check-numbers.js';
import {
  Delivery,
  type DeliveryRules,
  type DeliveryState,
  type OutboundRequest,
} from '../delivery/delivery.js';
import { integrationsOf, isEnabledFor, webhooksName } from './integrations.js';
import { fixedHeaders } from './request.js';
import { checkEndpoints, type Endpoint } from './settings.js';

export interface WebhookDestinationOptions {
  /** 1 to 5 URLs with up to 5 static headers each. */
  readonly endpoints: readonly Endpoint[];
  /** Signs each body; without one no `X-Signature` is sent. */
  readonly sharedSecret?: string | Uint8Array;
  /** Time from the start of an attempt to the status line. Default 5000. */
  readonly timeoutMs?: number;
  /** How long one event is retried, from its first attempt. Default 4 hours; 0 attempts once. */
  readonly retryWindowMs?: number;
  /** The waits between attempts, in milliseconds; the last one repeats. */
  readonly retryDelaysMs?: readonly number[];
  /** Require every URL to accept the event, each retried on its own. Default: one success is enough. */
  readonly allUrls?: boolean;
  /** Requests in flight to one URL. Default 64. */
  readonly concurrency?: number;
  /** PEM texts of certificates to trust in addition to Node's own. */
  readonly ca?: readonly string[];
  /** The name of this destination in an event's `integrations`. Default `Webhooks`. */
  readonly name?: string;
  /** Send events even if their `integrations` turn this destination off. Default false. */
  readonly ignoreIntegrations?: boolean;
  /**
   * End an event that is to be retried as `pending`, with `retry` saying when and where, instead of keeping
   * it in memory. Default false.
   */
  readonly handsBack?: boolean;
  /**
   * Report the outcome as soon as one URL has accepted the event, unless all must; its `attempts` grow while
   * attempts at other URLs continue. Default false: it is reported when all have ended.
   */
  readonly reportsAtOnce?: boolean;
  /** Which addresses may be connected to. Default: all. */
  readonly guard?: AddressGuard;
  /**
   * A 410 disables its URL for the lifetime of this destination: events not sent there yet fail as `gone`.
   * Default false: a 410 is final only for its event at that URL.
   */
  readonly disablesOnGone?: boolean;
  /**
   * Called with the end of a pause requested by `Retry-After` (milliseconds since 1970), again when the
   * pause is extended, and with undefined when it has ended. `url` is without its query.
   */
  readonly onPause?: (url: string, untilMs: number | undefined) => void;
  /** Called when a URL is considered down, and when it is up again. */
  readonly onDown?: (url: string, isDown: boolean) => void;
  /** Called for every attempt when it has ended. */
  readonly onAttempt?: (result: AttemptResult, messageId: string) => void;
  /**
   * Called with what a response says about a whole URL, given by its index in `urls`, so that other
   * targets of that URL can apply it as well; not for notices received by `applyNotice`.
   */
  readonly onNotice?: (queue: number, notice: EndpointNotice) => void;
  readonly clock?: Clock;
  /** A number in [0, 1), for the jitter of retries. */
  readonly random?: () => number;
}

/**
 * Posts each event to every URL, signed, and retries until one (or every one) has accepted it.
 *
 * @example
 * const destination = new WebhookDestination({
 *   endpoints: [{ url: 'https://example.com/hook', headers: { 'X-Team': 'growth' } }],
 *   sharedSecret: process.env.WEBHOOK_SECRET,
 * });
 * const outcome = await destination.deliver({ type: 'track', userId: 'u1', event: 'Signed Up' });
 * if (outcome.verdict !== 'delivered') console.error(outcome.message);
 * await destination.close();
 */
export class WebhookDestination implements Target {
  readonly urls: readonly string[];
  readonly #queues: readonly EndpointQueue[];
  readonly #headers: readonly (readonly string[])[];
  readonly #sign: ((body: Uint8Array) => string) | undefined;
  readonly #rules: DeliveryRules;
  readonly #semaphore: Semaphore;
  readonly #name: string;
  readonly #ignoreIntegrations: boolean;
  readonly #reportsAtOnce: boolean;
  readonly #live = new LinkedList<Delivery>();
  #interrupted = false;

  /** @throws UsageError when the endpoints, a header, the secret or a number cannot be used. */
  constructor(options: WebhookDestinationOptions) {
    checkEndpoints(options.endpoints, 'endpoints');
    if (options.sharedSecret?.length === 0) throw new UsageError('sharedSecret is empty');
    checkNumbers(options);
    this.#rules = rulesOf(options);
    this.#queues = queuesOf(options, this.#rules, () => this.#retryGone());
    this.#headers = options.endpoints.map((endpoint) => fixedHeaders(endpoint).flat());
    this.#sign = options.sharedSecret === undefined ? undefined : signer(options.sharedSecret);
    this.#semaphore = new Semaphore(
      options.concurrency ?? defaults.concurrency,
      defaults.maxWaiting,
    );
    this.#name = options.name ?? webhooksName;
    this.#ignoreIntegrations = options.ignoreIntegrations ?? false;
    this.#reportsAtOnce = options.reportsAtOnce ?? false;
    this.urls = this.#queues.map((queue) => queue.url);
  }

  /**
   * Delivers one event and returns its outcome; never throws for a response or for an invalid event.
   * A missing messageId or timestamp is added.
   */
  async deliver(input: EventInput): Promise<Outcome> {
    const event = eventFrom(input);
    if (isProblem(event)) return rejection(event);
    await this.#semaphore.enterInTurn();
    const stamp = stampFresh(event, this.#rules.clock.now());
    return new Promise((resolve) => this.#accept({ event, stamp }, resolve));
  }

  send(outgoing: Outgoing, done: (outcome: Outcome) => void): void {
    this.#semaphore.enter();
    this.#accept(outgoing, done);
  }

  /** The semaphore has been entered for this event. */
  #accept(outgoing: Outgoing, done: (outcome: Outcome) => void): void {
    const unsent = this.#outcomeWithoutSending(outgoing);
    if (unsent) {
      this.#semaphore.move('active', 'ended');
      done(unsent);
    } else this.#start(outgoing, done);
  }

  #outcomeWithoutSending({ event, stamp }: Outgoing): Outcome | undefined {
    if (!this.#ignoreIntegrations && !isEnabledFor(this.#name, integrationsOf(event))) {
      return this.#skipped(stamp.messageId);
    }
    return this.#interrupted ? this.#interruptedOutcome(stamp.messageId) : undefined;
  }

  /** @throws errors of building the request, after leaving the semaphore. */
  #start(outgoing: Outgoing, done: (outcome: Outcome) => void): void {
    const { event, stamp } = outgoing;
    let held: DeliveryState = 'active';
    let isReported = false;
    const onState = (state: DeliveryState): void => {
      if (state === 'waiting') outgoing.event = detachEvent(outgoing.event);
      if (held !== 'ended') this.#semaphore.move(held, state);
      held = state;
      if (state === 'ended' && delivery) this.#live.delete(delivery);
      if (isReported || (state !== 'ended' && !(state === 'accepted' && this.#reportsAtOnce)))
        return;
      isReported = true;
      done(delivery!.outcome());
    };
    let delivery: Delivery | undefined;
    try {
      const outbound = this.#pack(webhookBody(event, stamp), stamp.messageId);
      delivery = new Delivery(
        outbound,
        this.#queues,
        this.#rules,
        onState,
        outgoing.endpointStates,
      );
      this.#live.add(delivery);
      delivery.start();
    } catch (error) {
      // The error itself is the report to the caller.
      isReported = true;
      onState('ended');
      throw error;
    }
  }

  room(): Promise<void> | undefined {
    return this.#semaphore.room();
  }

  drain(): Promise<void> {
    return this.#semaphore.empty();
  }

  /** Ends everything not in flight as `pending`; requests in flight may finish, and are not retried. */
  interrupt(): void {
    this.#interrupted = true;
    for (const delivery of this.#live.toArray()) delivery.interrupt();
    for (const queue of this.#queues) queue.sweep();
    this.#semaphore.admitAll();
  }

  applyNotice(queue: number, notice: EndpointNotice): void {
    this.#queues[queue]?.applyNotice(notice);
  }

  /** Interrupts the remaining deliveries, and closes the connections. */
  async close(): Promise<void> {
    this.interrupt();
    await Promise.all(this.#queues.map((queue) => queue.close()));
  }

  #retryGone(): void {
    for (const delivery of this.#live.toArray()) delivery.retryGone();
  }

  /** Signs the body once, since every attempt sends the same bytes. */
  #pack(body: Buffer, messageId: string): OutboundRequest {
    return { messageId, body, headers: this.#headers, signature: this.#sign?.(body) };
  }

  #skipped(messageId: string): Outcome {
    return {
      verdict: 'skipped',
      messageId,
      attempts: [],
      code: 'integration_off',
      message: `its integrations turn ${this.#name} off (use --ignore-integrations to send it anyway)`,
    };
  }

  #interruptedOutcome(messageId: string): Outcome {
    return {
      verdict: 'pending',
      messageId,
      attempts: [],
      code: 'interrupted',
      message: `${this.urls[0]!}: interrupted before it was sent`,
    };
  }
}

function rulesOf(options: WebhookDestinationOptions): DeliveryRules {
  return {
    clock: options.clock ?? systemClock,
    retries: {
      windowMs: options.retryWindowMs ?? defaults.retryWindowMs,
      delaysMs: options.retryDelaysMs ?? defaultRetryDelaysMs,
      random: options.random ?? Math.random,
    },
    allUrls: options.allUrls ?? false,
    handsBack: options.handsBack ?? false,
    onAttempt: options.onAttempt ?? (() => undefined),
  };
}

function queuesOf(
  options: WebhookDestinationOptions,
  rules: DeliveryRules,
  onGone: () => void,
): EndpointQueue[] {
  const shared = {
    concurrency: options.concurrency ?? defaults.concurrency,
    timeoutMs: options.timeoutMs ?? defaults.timeoutMs,
    tls: tlsSettings(options.ca),
    clock: rules.clock,
    guard: options.guard,
    maxPauseMs: rules.retries.windowMs,
    disablesOnGone: options.disablesOnGone,
    onGone,
  };
  return options.endpoints.map(({ url }, index) => {
    const shown = withoutQuery(url);
    return new EndpointQueue({
      url,
      ...shared,
      onPause: (untilMs) => options.onPause?.(shown, untilMs),
      onDown: (isDown) => options.onDown?.(shown, isDown),
      onNotice: (notice) => options.onNotice?.(index, notice),
    });
  });
}
