import { systemClock } from '../clock.js';
import { defaults } from '../defaults.js';
import type { OwnRequest } from '../delivery/own-request.js';
import { Semaphore } from '../delivery/semaphore.js';
import type { EndpointNotice } from '../delivery/endpoint-notice.js';
import { LinkedList } from '../collections/linked-list.js';
import {
  integrationOff,
  rejection,
  unwantedOutcome,
  type AttemptResult,
  type EndpointDeliveryState,
  type Outcome,
} from '../delivery/outcome.js';
import { defaultRetryDelaysMs } from '../delivery/retry-schedule.js';
import { isProblem } from '../events/event.js';
import type { EventInput } from '../events/event-input.js';
import type { Event } from '../events/event.js';
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
import { areApart, maxInFlight } from './endpoint-settings.js';
import { integrationsOf, isEnabledFor, webhooksName } from './integrations.js';
import { fixedHeaders, replayHeader } from './request.js';
import type { WebhookDestinationOptions } from './options.js';
import type { OwnRequests } from './own-requests.js';
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
      | 'signing'
      | 'sourceSecrets'
      | 'network'
      | 'guard'
      | 'clientCertificate'
      | 'verdictOfError'
      | 'namesKeys'
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
  /** Of items that are no events. Default: there are none. */
  readonly ownRequests?: OwnRequests | undefined;
}

/** One request to be posted: that of an event, or of a batch of events. */
export interface Posting {
  /** What schemes sign it with, where they have an id. */
  readonly id: string;
  /** Makes its body, the same bytes each time. */
  readonly compose: () => Buffer;
  /** For each URL, where the request is not a POST to it. */
  readonly own?: readonly OwnRequest[] | undefined;
  /** How many events it has. Default 1. */
  readonly events?: number;
  /** The URLs that it goes to, a bit for each. Default: all. */
  readonly wanted?: number | undefined;
  /** Of `Stamp`. */
  readonly replay?: string | undefined;
  readonly endpointDeliveries?: readonly EndpointDeliveryState[] | undefined;
  readonly onBodyReleased?: (() => void) | undefined;
  /** Called for every attempt when it has ended. Default: `onAttempt` of the target, with `id`. */
  readonly onAttempt?: (result: AttemptResult) => void;
  /** Called with each new state; the last one is `ended`. */
  readonly onState: (state: DeliveryState) => void;
}

/** A target of webhooks, with what only `serve` makes use of. */
export interface WebhookSender extends Required<Omit<Target, 'flush'>>, Pick<Target, 'flush'> {
  /** Ends what was given to it so far, as `interrupt` does; later events are sent as before. */
  interruptUnsent(): void;
  /**
   * Gives up requests of events that another URL has accepted: first attempts that are still queued, and requests
   * that have had no response for `afterMs` milliseconds, which end as timeouts.
   */
  dropBehind(afterMs: number): void;
  /** The URLs that want a probe, see `wantsProbe`, a bit for each: bit 0 is the first one. */
  readonly probesWanted: number;
}

/** How many events may be queued at some endpoints before those for others are held up: each takes memory. */
const maxQueuedApart = 256;

/**
 * Posts each event to every URL that wants it, signed, and retries until one (or every one of them) has
 * accepted it.
 */
export class WebhookTarget implements WebhookSender {
  readonly urls: readonly string[];
  readonly #connections: WebhookConnections;
  readonly #ownsConnections: boolean;
  readonly #user: ConnectionsUser;
  readonly #headers: readonly (readonly string[])[];
  #replayed: { readonly id: string; readonly headers: readonly (readonly string[])[] } | undefined;
  /** Undefined: every URL wants all events. */
  readonly #filters: EndpointFilters | undefined;
  readonly #signing: Signing;
  readonly #ownRequests: OwnRequests | undefined;
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
    this.#ownRequests = options.ownRequests;
    this.#semaphore = new Semaphore(
      maxInFlight(endpoints, options.concurrency),
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
    const { event, stamp, endpointDeliveries, onBodyReleased } = outgoing;
    const own = this.#ownRequestsFor(outgoing);
    const wanted = own ? own.wantedBy(event) : this.wantedBy(event);
    const unsent = this.outcomeWithoutSending(outgoing, wanted);
    if (unsent) {
      this.#semaphore.move('active', 'ended');
      outgoing.onEnded?.();
      done(unsent);
      return;
    }
    const posting: Posting = {
      id: stamp.messageId,
      compose: () => (own ? own.bodyOf(event) : this.bodyOf(event, stamp)),
      own: own?.requestsOf(outgoing),
      wanted,
      replay: stamp.replay,
      endpointDeliveries,
      onBodyReleased,
      onState: (state) => {
        if (state === 'waiting') outgoing.event = detachEvent(outgoing.event);
        else if (state === 'ended') outgoing.onEnded?.();
      },
    };
    this.#start(posting, done);
  }

  /** Whether its request is its own, and takes no other event. */
  isOwnRequest(outgoing: Outgoing): boolean {
    return this.#ownRequestsFor(outgoing) !== undefined;
  }

  /** The URLs that want an event, a bit for each; undefined: all. */
  wantedBy(event: Event): number | undefined {
    return this.#filters?.wantedBy(event);
  }

  bodyOf(event: Event, stamp: Outgoing['stamp']): Buffer {
    return bodyOf(this.#bodyForm, event, stamp);
  }

  /** How an event ends that is not sent; undefined if it is. */
  outcomeWithoutSending({ event, stamp }: Outgoing, wanted?: number): Outcome | undefined {
    if (!this.#ignoreIntegrations && !isEnabledFor(this.#name, integrationsOf(event))) {
      return this.#skipped(stamp.messageId);
    }
    if (wanted === 0) return unwantedOutcome(stamp.messageId);
    return this.#interrupted ? this.interruptedOutcome(stamp.messageId) : undefined;
  }

  /** Posts one request; `states` has how it stands at each URL once it has ended. */
  post(
    posting: Posting,
    done: (outcome: Outcome, states: () => readonly EndpointDeliveryState[]) => void,
  ): void {
    this.#semaphore.enter();
    this.#start(posting, done);
  }

  /** @throws errors of building the request, after leaving the semaphore. */
  #start(
    posting: Posting,
    done: (outcome: Outcome, states: () => readonly EndpointDeliveryState[]) => void,
  ): void {
    let held: DeliveryState = 'active';
    let isReported = false;
    const onState = (state: DeliveryState): void => {
      if (held !== 'ended') this.#semaphore.move(held, state);
      held = state;
      if (state === 'ended' && delivery) this.#live.delete(delivery);
      posting.onState(state);
      if (isReported || (state !== 'ended' && !(state === 'accepted' && this.#reportsAtOnce)))
        return;
      isReported = true;
      const ended = delivery!;
      done(ended.outcome(), () => ended.states());
    };
    let delivery: Delivery | undefined;
    try {
      delivery = new Delivery(
        this.#pack(posting),
        this.#connections.queues,
        posting.onAttempt ? { ...this.#rules, onAttempt: posting.onAttempt } : this.#rules,
        onState,
        posting.endpointDeliveries,
      );
      this.#live.add(delivery);
      delivery.start();
      // Nor is the body needed before the connection is open.
      if (posting.onBodyReleased) delivery.releaseBody();
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

  get probesWanted(): number {
    return this.#connections.availability.probesWanted;
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
    this.interruptUnsent();
    this.#semaphore.admitAll();
  }

  interruptUnsent(): void {
    for (const delivery of this.#live.toArray()) delivery.interrupt();
    for (const queue of this.#connections.queues) queue.sweep();
  }

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

  #ownRequestsFor({ event }: Outgoing): OwnRequests | undefined {
    return this.#ownRequests?.isFor(event) ? this.#ownRequests : undefined;
  }

  #pack({ id, compose, own, events, wanted, replay, onBodyReleased }: Posting): OutboundRequest {
    const body = compose();
    // All members each time, so that all requests have one shape.
    return {
      messageId: id,
      body,
      headers: this.#headersOf(replay),
      signature: own ? undefined : this.#signing.of(body, id),
      own,
      events,
      wanted,
      compose: onBodyReleased && compose,
      onBodyReleased,
    };
  }

  /** The same array for the same replay, so that its lines are made once. */
  #headersOf(replay: string | undefined): readonly (readonly string[])[] {
    if (replay === undefined) return this.#headers;
    if (this.#replayed?.id !== replay) {
      const headers = this.#headers.map((one) => [...one, replayHeader, replay]);
      this.#replayed = { id: replay, headers };
    }
    return this.#replayed.headers;
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

  /** How an event ends that was not sent because of an interruption. */
  interruptedOutcome(messageId: string): Outcome {
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
    stopsWhenRefused: options.onRefused !== undefined,
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
    onRefused: (queue, reason) => options.onRefused?.(queue, reason),
    mayProbe: (queue) => options.mayProbe?.(queue) ?? Promise.resolve(true),
    ...(options.leaseTurns && { leaseTurns: options.leaseTurns }),
  };
}
