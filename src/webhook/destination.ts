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
  /** How long one event is retried, from its first try. Default 4 hours; 0 tries once. */
  readonly retryWindowMs?: number;
  /** The waits between tries, in milliseconds; the last one repeats. */
  readonly retryDelaysMs?: readonly number[];
  /** Every URL must take the event, each retried on its own. Default: one success is enough. */
  readonly allUrls?: boolean;
  /** Requests in flight to one URL. Default 64. */
  readonly concurrency?: number;
  /** PEM texts of certificates to trust beside Node's own. */
  readonly ca?: readonly string[];
  /** What an event's `integrations` call this destination. Default `Webhooks`. */
  readonly name?: string;
  /** Sends events whose `integrations` turn this destination off. Default false. */
  readonly ignoreIntegrations?: boolean;
  /**
   * Ends an event that is to be tried again as `pending`, with `retry` saying when and where, instead
   * of waiting with it in memory. Default false.
   */
  readonly handsBack?: boolean;
  /**
   * Tells the outcome as soon as one URL has taken the event, unless all must; its `attempts` grow by
   * those at the other URLs, which go on. Default false: it is told when they have ended.
   */
  readonly reportsAtOnce?: boolean;
  /** Which addresses may be connected to. Default: all. */
  readonly guard?: AddressGuard;
  /**
   * A 410 ends its URL for the whole life of this destination: what was not sent there fails as `gone`.
   * Default false: a 410 is final for its event at that URL, and nothing more.
   */
  readonly disablesOnGone?: boolean;
  /**
   * Told until when a `Retry-After` pauses a URL (milliseconds since 1970), again when the pause is
   * extended, and with undefined when it has ended. `url` is without its query.
   */
  readonly onPause?: (url: string, untilMs: number | undefined) => void;
  /** Told when a URL is taken to be down, and when it answers again. */
  readonly onDown?: (url: string, isDown: boolean) => void;
  /** Told about every attempt, as it ends. */
  readonly onAttempt?: (result: AttemptResult, messageId: string) => void;
  /**
   * Told what an answer says about a whole URL, which is one of `urls` by its index, so that others
   * who post there can heed it as well; not what came by `learn`.
   */
  readonly onNotice?: (queue: number, notice: EndpointNotice) => void;
  readonly clock?: Clock;
  /** A number in [0, 1), for the jitter of retries. */
  readonly random?: () => number;
}

/**
 * Posts each event to every URL, signed, and retries until one (or every one) has taken it.
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
   * Delivers one event and says how it ended; never throws for an answer or for a bad event.
   * A messageId and a timestamp are made where the event has none.
   */
  async deliver(input: EventInput): Promise<Outcome> {
    const event = eventFrom(input);
    if (isProblem(event)) return rejection(event);
    await this.#semaphore.enterInTurn();
    const stamp = stampFresh(event, this.#rules.clock.now());
    return new Promise((resolve) => this.#take({ event, stamp }, resolve));
  }

  send(outgoing: Outgoing, done: (outcome: Outcome) => void): void {
    this.#semaphore.enter();
    this.#take(outgoing, done);
  }

  /** The event has entered the gate. */
  #take(outgoing: Outgoing, done: (outcome: Outcome) => void): void {
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
    return this.#interrupted ? this.#left(stamp.messageId) : undefined;
  }

  /** @throws what building the request throws; the event has then left the gate. */
  #start(outgoing: Outgoing, done: (outcome: Outcome) => void): void {
    const { event, stamp } = outgoing;
    let held: DeliveryState = 'active';
    let isReported = false;
    const onState = (state: DeliveryState): void => {
      if (state === 'waiting') outgoing.event = detachEvent(outgoing.event);
      if (held !== 'ended') this.#semaphore.move(held, state);
      held = state;
      if (state === 'ended' && delivery) this.#live.delete(delivery);
      if (isReported || (state !== 'ended' && !(state === 'taken' && this.#reportsAtOnce))) return;
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
      // The caller is told by the error alone.
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

  /** What is not in flight ends as `pending` now; what is in flight may finish, and is not retried. */
  interrupt(): void {
    this.#interrupted = true;
    for (const delivery of this.#live.toArray()) delivery.interrupt();
    for (const queue of this.#queues) queue.sweep();
    this.#semaphore.admitAll();
  }

  applyNotice(queue: number, notice: EndpointNotice): void {
    this.#queues[queue]?.applyNotice(notice);
  }

  /** Ends what is left as `interrupt` does, and closes the connections. */
  async close(): Promise<void> {
    this.interrupt();
    await Promise.all(this.#queues.map((queue) => queue.close()));
  }

  #retryGone(): void {
    for (const delivery of this.#live.toArray()) delivery.retryGone();
  }

  /** The signature is made once, of the very bytes that every try sends. */
  #pack(body: Buffer, messageId: string): OutboundRequest {
    return { messageId, body, headers: this.#headers, signature: this.#sign?.(body) };
  }

  #skipped(messageId: string): Outcome {
    return {
      verdict: 'skipped',
      messageId,
      attempts: [],
      code: 'integration_off',
      message: `its integrations turn ${this.#name} off (--ignore-integrations sends it anyway)`,
    };
  }

  #left(messageId: string): Outcome {
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
