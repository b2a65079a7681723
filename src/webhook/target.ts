import { systemClock } from '../clock.js';
import { defaults } from '../defaults.js';
import { Semaphore } from '../delivery/semaphore.js';
import type { EndpointNotice } from '../delivery/endpoint-notice.js';
import { LinkedList } from '../collections/linked-list.js';
import { integrationOff, rejection, unwantedOutcome, type Outcome } from '../delivery/outcome.js';
import { defaultRetryDelaysMs } from '../delivery/retry-schedule.js';
import { isProblem } from '../events/event.js';
import type { EventInput } from '../events/event-input.js';
import { eventFrom } from '../events/given.js';
import { stampFresh } from '../events/stamp.js';
import { detachEvent } from '../events/text-event.js';
import type { Outgoing, Target } from '../delivery/target.js';
import { bodyOf } from './body.js';
import { checkBodyForm, type BodyForm } from './body-form.js';
import { checkNumbers } from './check-numbers.js';
import {
  WebhookConnections,
  type ConnectionsListener,
  type ConnectionsOptions,
  type ConnectionsUser,
} from './connections.js';
import {
  Delivery,
  type DeliveryRules,
  type DeliveryState,
  type OutboundRequest,
} from '../delivery/delivery.js';
import { EndpointFilters } from './endpoint-filters.js';
import { areApart, mostInFlight } from './endpoint-settings.js';
import { integrationsOf, isEnabledFor, webhooksName } from './integrations.js';
import { fixedHeaders } from './request.js';
import type { WebhookDestinationOptions } from './options.js';
import { Signing } from './signing.js';
import { settingsOf } from './signing-options.js';
import { checkEndpoints } from './settings.js';

/** The options of `WebhookDestination`, and those of which only the program makes use. */
export interface WebhookTargetOptions
  extends
    WebhookDestinationOptions,
    ConnectionsListener,
    Pick<
      ConnectionsOptions,
      'signing' | 'network' | 'guard' | 'clientCertificate' | 'verdictOfError'
    > {
  /**
   * End an event that is to be retried as `pending`, with `retry` saying when and where, instead of keeping
   * it in memory. Default false.
   */
  readonly returnsRetries?: boolean;
  /**
   * Report the outcome as soon as one URL has accepted the event, unless all must; its `attempts` grow while
   * attempts at other URLs continue. Default false: it is reported when all have ended.
   */
  readonly reportsAtOnce?: boolean;
  /** Those of other targets, which have the same settings: `concurrency` holds for all. Default: its own. */
  readonly connections?: WebhookConnections | undefined;
}

/** How many events may be queued at some endpoints before those for others are held up: each takes memory. */
const maxQueuedApart = 256;

/**
 * Posts each event to every URL that wants it, signed, and retries until one (or every one of them) has
 * accepted it.
 */
export class WebhookTarget implements Target {
  readonly urls: readonly string[];
  readonly #connections: WebhookConnections;
  readonly #ownsConnections: boolean;
  readonly #user: ConnectionsUser;
  readonly #headers: readonly (readonly string[])[];
  /** Undefined: every URL wants all events. */
  readonly #filters: EndpointFilters | undefined;
  readonly #signing: Signing;
  readonly #rules: DeliveryRules;
  readonly #semaphore: Semaphore;
  readonly #name: string;
  readonly #ignoreIntegrations: boolean;
  readonly #bodyForm: BodyForm;
  readonly #reportsAtOnce: boolean;
  readonly #live = new LinkedList<Delivery>();
  #interrupted = false;
  #onAvailable: () => void = () => undefined;

  /** @throws UsageError when the endpoints, a header, the secrets or a number cannot be used. */
  constructor(options: WebhookTargetOptions) {
    checkEndpoints(options.endpoints, 'endpoints');
    checkNumbers(options);
    const { endpoints, signing: settings = settingsOf(options) } = options;
    const rules = (this.#rules = rulesOf(options));
    const now = (): number => rules.clock.now();
    this.#signing = new Signing({ settings, endpoints, now }, 'endpoints');
    this.#ownsConnections = options.connections === undefined;
    this.#connections = options.connections ?? connectionsOf(options);
    this.#user = userOf(options, {
      onGone: () => this.#retryGone(),
      onAvailable: () => this.#resume(),
    });
    this.#connections.join(this.#user);
    this.#headers = options.endpoints.map((endpoint) => fixedHeaders(endpoint).flat());
    this.#filters = EndpointFilters.of(endpoints);
    this.#semaphore = new Semaphore(
      mostInFlight(endpoints, options.concurrency),
      rules.returnsRetries && rules.queuesApart ? maxQueuedApart : defaults.maxWaiting,
      options.connections?.inFlight,
    );
    this.#name = options.name ?? webhooksName;
    this.#ignoreIntegrations = options.ignoreIntegrations ?? false;
    this.#bodyForm = checkBodyForm(options.body ?? 'webhook', 'body');
    this.#reportsAtOnce = options.reportsAtOnce ?? false;
    this.urls = this.#connections.queues.map((queue) => queue.url);
  }

  /**
   * Delivers one event and returns its outcome; never throws for a response or for an invalid event.
   * A missing messageId or timestamp is added.
   */
  async deliver(input: EventInput): Promise<Outcome> {
    const event = eventFrom(input);
    if (isProblem(event)) return rejection(event);
    // An event that would end as pending does not wait for its turn.
    if (this.#interrupted) this.#semaphore.enter();
    else await this.#semaphore.enterInTurn();
    const stamp = stampFresh(event, this.#rules.clock.now());
    return new Promise((resolve) => this.#accept({ event, stamp }, resolve));
  }

  send(outgoing: Outgoing, done: (outcome: Outcome) => void): void {
    this.#semaphore.enter();
    this.#accept(outgoing, done);
  }

  /** The semaphore has been entered for this event. */
  #accept(outgoing: Outgoing, done: (outcome: Outcome) => void): void {
    const wanted = this.#filters?.wantedBy(outgoing.event);
    const unsent = this.#outcomeWithoutSending(outgoing, wanted);
    if (unsent) {
      this.#semaphore.move('active', 'ended');
      outgoing.onEnded?.();
      done(unsent);
    } else this.#start(outgoing, wanted, done);
  }

  /** `wanted`: the URLs that want the event; undefined: all. */
  #outcomeWithoutSending({ event, stamp }: Outgoing, wanted?: number): Outcome | undefined {
    if (!this.#ignoreIntegrations && !isEnabledFor(this.#name, integrationsOf(event))) {
      return this.#skipped(stamp.messageId);
    }
    if (wanted === 0) return unwantedOutcome(stamp.messageId);
    return this.#interrupted ? this.#interruptedOutcome(stamp.messageId) : undefined;
  }

  /** @throws errors of building the request, after leaving the semaphore. */
  #start(outgoing: Outgoing, wanted: number | undefined, done: (outcome: Outcome) => void): void {
    const { event, stamp } = outgoing;
    let held: DeliveryState = 'active';
    let isReported = false;
    const onState = (state: DeliveryState): void => {
      if (state === 'waiting') outgoing.event = detachEvent(outgoing.event);
      if (held !== 'ended') this.#semaphore.move(held, state);
      held = state;
      if (state === 'ended') {
        if (delivery) this.#live.delete(delivery);
        outgoing.onEnded?.();
      }
      if (isReported || (state !== 'ended' && !(state === 'accepted' && this.#reportsAtOnce)))
        return;
      isReported = true;
      done(delivery!.outcome());
    };
    let delivery: Delivery | undefined;
    try {
      const compose = (): Buffer => bodyOf(this.#bodyForm, event, stamp);
      const outbound = this.#pack(compose, outgoing);
      delivery = new Delivery(
        wanted === undefined ? outbound : { ...outbound, wanted },
        this.#connections.queues,
        this.#rules,
        onState,
        outgoing.endpointDeliveries,
      );
      this.#live.add(delivery);
      delivery.start();
      // Nor is the body needed before the connection is open.
      if (outgoing.onBodyReleased) delivery.releaseBody();
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

  get isUnavailable(): boolean {
    return this.#connections.availability.isUnavailable;
  }

  get isPartlyUnavailable(): boolean {
    return this.#connections.availability.isPartial;
  }

  get wantsProbe(): boolean {
    return this.#connections.availability.wantsProbe;
  }

  get wantsFreshProbe(): boolean {
    return this.#connections.availability.wantsFreshProbe;
  }

  onAvailable(listener: () => void): void {
    this.#onAvailable = listener;
  }

  /** Events that another URL still has come first: while they last, there may be no room for others. */
  #resume(): void {
    const live = this.#live.toArray();
    for (const delivery of live) delivery.probe();
    for (const delivery of live) delivery.resume();
    this.#onAvailable();
  }

  drain(): Promise<void> {
    return this.#semaphore.empty();
  }

  /** Ends everything not in flight as `pending`; requests in flight may finish, and are not retried. */
  interrupt(): void {
    this.#interrupted = true;
    this.handBack();
    this.#semaphore.admitAll();
  }

  /** Ends what was given to it so far, as `interrupt` does; later events are sent as before. */
  handBack(): void {
    for (const delivery of this.#live.toArray()) delivery.interrupt();
    for (const queue of this.#connections.queues) queue.sweep();
  }

  /**
   * Gives up requests of events that another URL has accepted: first attempts that are still queued, and requests
   * that have had no response for `afterMs` milliseconds, which end as timeouts.
   */
  dropBehind(afterMs: number): void {
    for (const delivery of this.#live.toArray()) delivery.dropBehind();
    for (const queue of this.#connections.queues) queue.expireSettled(afterMs);
  }

  applyNotice(queue: number, notice: EndpointNotice): void {
    this.#connections.queues[queue]?.applyNotice(notice);
  }

  /** Interrupts the remaining deliveries, and closes the connections, unless they are shared. */
  async close(): Promise<void> {
    this.interrupt();
    if (this.#ownsConnections) await this.#connections.close();
    this.#connections.leave(this.#user);
  }

  #retryGone(): void {
    for (const delivery of this.#live.toArray()) delivery.retryGone();
  }

  #pack(compose: () => Buffer, { stamp, onBodyReleased }: Outgoing): OutboundRequest {
    const { messageId } = stamp;
    const body = compose();
    const signature = this.#signing.of(body, messageId);
    const composed = { messageId, body, headers: this.#headers, signature };
    return onBodyReleased ? { ...composed, compose, onBodyReleased } : composed;
  }

  #skipped(messageId: string): Outcome {
    return {
      verdict: 'skipped',
      messageId,
      attempts: [],
      code: integrationOff,
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

function rulesOf(options: WebhookTargetOptions): DeliveryRules {
  return {
    clock: options.clock ?? systemClock,
    retries: {
      windowMs: options.retryWindowMs ?? defaults.retryWindowMs,
      delaysMs: options.retryDelaysMs ?? defaultRetryDelaysMs,
      random: options.random ?? Math.random,
    },
    allUrls: options.allUrls ?? false,
    returnsRetries: options.returnsRetries ?? false,
    queuesApart: areApart(options.endpoints),
    onAttempt: options.onAttempt ?? (() => undefined),
  };
}

function connectionsOf(options: WebhookTargetOptions): WebhookConnections {
  return new WebhookConnections({
    ...options,
    asksBeforeProbe: options.mayProbe !== undefined,
    sharesRates: options.leaseTurns !== undefined,
  });
}

function userOf(
  options: WebhookTargetOptions,
  own: Pick<ConnectionsUser, 'onGone' | 'onAvailable'>,
): ConnectionsUser {
  return {
    ...own,
    onPause: (url, untilMs) => options.onPause?.(url, untilMs),
    onDown: (url, isDown, reason) => options.onDown?.(url, isDown, reason),
    onNotice: (queue, notice) => options.onNotice?.(queue, notice),
    mayProbe: (queue) => options.mayProbe?.(queue) ?? Promise.resolve(true),
    ...(options.leaseTurns && { leaseTurns: options.leaseTurns }),
  };
}
