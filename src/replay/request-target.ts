import { authorizationOf } from '../webhook/tokens.js';
import { systemClock } from '../clock.js';
import { defaults } from '../defaults.js';
import { LinkedList } from '../collections/linked-list.js';
import { Availability } from '../delivery/availability.js';
import type { DownReason } from '../delivery/circuit-breaker.js';
import {
  Delivery,
  type DeliveryRules,
  type DeliveryState,
  type OutboundRequest,
} from '../delivery/delivery.js';
import { EndpointQueue } from '../delivery/endpoint-queue.js';
import {
  rejection,
  unwantedOutcome,
  type AttemptResult,
  type Outcome,
} from '../delivery/outcome.js';
import type { OwnRequest } from '../delivery/own-request.js';
import { headerSecrets } from '../delivery/redaction.js';
import { defaultRetryDelaysMs } from '../delivery/retry-schedule.js';
import { Semaphore } from '../delivery/semaphore.js';
import type { Outgoing, Target } from '../delivery/target.js';
import type { ClientCertificate } from '../http/tls.js';
import type { RequestSigner } from '../sign/request-signer.js';
import type { EndpointSettings } from '../webhook/endpoint.js';
import { maxInFlight, queueSettings } from '../webhook/endpoint-settings.js';
import { CaptureItem } from './capture-item.js';
import { Comparison, type Compared } from './compare.js';
import type { BodyEditor } from './edit-body.js';
import { compose, sendsCredentialsToOtherHost, type Composition } from './compose.js';
import { ownRequest } from './own-request.js';
import { RequestFilters } from './request-filters.js';

/** Where recorded requests go, and what is made of them. Durations are in milliseconds. */
export interface RequestTargetOptions {
  /** One per URL. */
  readonly compositions: readonly Composition[];
  /** What holds for each URL alone, in the order of `compositions`. Default: nothing. */
  readonly endpoints?: readonly EndpointSettings[] | undefined;
  /** Sign each attempt anew; none: the recorded headers go along as they are. */
  readonly signers: readonly RequestSigner[];
  /** Changes each body before it is signed. Default: bodies are sent as they were recorded. */
  readonly bodyEditor?: BodyEditor | undefined;
  /** What responses must not show: the shared secrets. */
  readonly secrets: readonly (string | Uint8Array)[];
  /** Take a response that equals the recorded one as delivered. Default: by its status, as any delivery. */
  readonly compared?: Compared | undefined;
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly retryWindowMs: number;
  readonly allUrls: boolean;
  /** Whether a request that is to be retried is returned to the caller. Default true. */
  readonly returnsRetries?: boolean;
  readonly ca: readonly string[];
  readonly clientCertificate?: ClientCertificate | undefined;
  readonly onDown: (url: string, isDown: boolean, reason?: DownReason) => void;
  /** As of `ConnectionsListener`. */
  readonly onRefused?: ((index: number, reason: string) => void) | undefined;
  readonly onAttempt: (result: AttemptResult, messageId: string) => void;
  /** Called once, when recorded credentials are about to go to this host, which is not the recorded one. */
  readonly onCredentialsToOtherHost: (host: string) => void;
}

/** Sends recorded requests again, each with its own method, path, headers and bytes. */
export class RequestTarget implements Target {
  readonly urls: readonly string[];
  readonly #options: RequestTargetOptions;
  readonly #queues: readonly EndpointQueue[];
  /** Undefined: every URL wants all requests. */
  readonly #filters: RequestFilters | undefined;
  readonly #rules: DeliveryRules;
  readonly #semaphore: Semaphore;
  readonly #live = new LinkedList<Delivery>();
  readonly #availability: Availability;
  #onAvailable: () => void = () => undefined;
  #interrupted = false;
  #hasWarned = false;

  constructor(options: RequestTargetOptions) {
    this.#options = options;
    this.#rules = rulesOf(options);
    const onAvailable = (): void => this.#onAvailable();
    this.#queues = options.compositions.map((_, index) => queueOf(index, options, onAvailable));
    const endpoints = options.compositions.map((_, index) => settingsOf(options, index));
    this.#filters = RequestFilters.of(endpoints);
    this.#availability = new Availability(this.#queues);
    this.#semaphore = new Semaphore(
      maxInFlight(endpoints, options.concurrency),
      defaults.maxWaiting,
    );
    this.urls = this.#queues.map(({ url }, index) =>
      options.compositions[index]!.base.path === undefined ? new URL(url).origin : url,
    );
  }

  send(outgoing: Outgoing, done: (outcome: Outcome) => void): void {
    this.#semaphore.enter();
    const unsent = this.#start(outgoing, done);
    if (!unsent) return;
    this.#semaphore.move('active', 'ended');
    done(unsent);
  }

  /** Returns the outcome of a request that is not sent. */
  #start(
    { event, stamp: { messageId }, endpointDeliveries }: Outgoing,
    done: (outcome: Outcome) => void,
  ): Outcome | undefined {
    if (this.#interrupted) return interruptedOutcome(messageId);
    // The pipeline passes on what the source yields.
    if (!(event instanceof CaptureItem)) throw new TypeError('only captures can be replayed');
    const { request } = event;
    const { compositions, compared, bodyEditor } = this.#options;
    const body = bodyEditor ? bodyEditor.edit(request.body) : request.body;
    if ('code' in body) return { ...rejection(body), messageId };
    const wanted = this.#filters?.wantedBy(body);
    if (wanted === 0) return unwantedOutcome(messageId);
    const own: OwnRequest[] = [];
    const comparisons: (Comparison | undefined)[] = [];
    for (const composition of compositions) {
      const composed = compose(request, composition);
      if ('code' in composed) return { ...rejection(composed), messageId };
      this.#warn(sendsCredentialsToOtherHost(request, composition), composition);
      const comparison = compared && request.response && new Comparison(request.response, compared);
      comparisons.push(comparison);
      const { signers } = this.#options;
      const parts = { composed, origin: composition.base.origin, body, messageId };
      own.push(ownRequest({ ...parts, signers, comparison, now: () => this.#rules.clock.now() }));
    }
    const headers = compositions.map(() => noHeaders);
    const outbound = { messageId, body, headers, own, wanted };
    this.#deliver(outbound, endpointDeliveries, (outcome) => done(explained(outcome, comparisons)));
    return undefined;
  }

  #deliver(
    outbound: OutboundRequest,
    before: Outgoing['endpointDeliveries'],
    done: (outcome: Outcome) => void,
  ): void {
    let held: DeliveryState = 'active';
    const delivery = new Delivery(
      outbound,
      this.#queues,
      this.#rules,
      (state) => {
        if (held !== 'ended') this.#semaphore.move(held, state);
        held = state;
        if (state !== 'ended') return;
        this.#live.delete(delivery);
        done(delivery.outcome());
      },
      before,
    );
    this.#live.add(delivery);
    delivery.start();
  }

  #warn(goesToOtherHost: boolean, { base }: Composition): void {
    if (!goesToOtherHost || this.#hasWarned) return;
    this.#hasWarned = true;
    this.#options.onCredentialsToOtherHost(base.url.host);
  }

  room(): Promise<void> | undefined {
    return this.#semaphore.room();
  }

  get isUnavailable(): boolean {
    return this.#availability.isUnavailable;
  }

  get isPartlyUnavailable(): boolean {
    return this.#availability.isPartial;
  }

  get wantsProbe(): boolean {
    return this.#availability.wantsProbe;
  }

  onAvailable(listener: () => void): void {
    this.#onAvailable = listener;
  }

  drain(): Promise<void> {
    return this.#semaphore.empty();
  }

  interrupt(): void {
    this.#interrupted = true;
    for (const delivery of this.#live.toArray()) delivery.interrupt();
    for (const queue of this.#queues) queue.sweep();
    this.#semaphore.admitAll();
  }

  async close(): Promise<void> {
    this.interrupt();
    await Promise.all(this.#queues.map((queue) => queue.close()));
  }
}

/** Replays encode the headers of each request for themselves. */
const noHeaders: readonly string[] = [];

/** Of a response that differs, the outcome says how. */
function explained(outcome: Outcome, comparisons: readonly (Comparison | undefined)[]): Outcome {
  const last = outcome.attempts.at(-1);
  if (outcome.verdict !== 'failed' || !last) return outcome;
  const differences = comparisons.flatMap((comparison) => comparison?.difference(last) ?? []);
  if (differences.length === 0) return outcome;
  return { ...outcome, code: 'response_differs', message: `${last.url}: ${differences[0]!}` };
}

function interruptedOutcome(messageId: string): Outcome {
  const message = 'interrupted before it was sent';
  return { verdict: 'pending', messageId, attempts: [], code: 'interrupted', message };
}

function rulesOf(options: RequestTargetOptions): DeliveryRules {
  const { retryWindowMs, allUrls, onAttempt, returnsRetries = true } = options;
  return {
    clock: systemClock,
    retries: { windowMs: retryWindowMs, delaysMs: defaultRetryDelaysMs, random: Math.random },
    ...{ allUrls, onAttempt, returnsRetries },
  };
}

function settingsOf({ endpoints }: RequestTargetOptions, index: number): EndpointSettings {
  return endpoints?.[index] ?? {};
}

function queueOf(
  index: number,
  options: RequestTargetOptions,
  onAvailable: () => void,
): EndpointQueue {
  const { base, proxy, auth, added, tls } = options.compositions[index]!;
  const { concurrency, timeoutMs, onRefused } = options;
  const limits = { concurrency, timeoutMs, clock: systemClock };
  const shown = base.path === undefined ? base.origin : base.origin + base.url.pathname;
  return new EndpointQueue({
    url: base.url.href,
    ...queueSettings(settingsOf(options, index), index, limits),
    tls: {
      rejectUnauthorized: true,
      ca: [...options.ca, ...(tls?.ca ?? [])],
      clientCertificate: options.clientCertificate ?? tls?.clientCertificate,
    },
    proxy,
    authorization: authorizationOf({ auth, proxy, tls }, { ca: options.ca, clock: systemClock }),
    clock: systemClock,
    retryWindowMs: options.retryWindowMs,
    // A 410 says that one path is gone, and may be what was recorded.
    disablesOnGone: base.path !== undefined && options.compared === undefined,
    secrets: [...options.secrets, ...added.flatMap(([, value]) => headerSecrets(value))],
    onDown: (isDown, reason) => options.onDown(shown, isDown, reason),
    ...(onRefused && { onRefused: (reason) => onRefused(index, reason) }),
    onAvailable,
  });
}
