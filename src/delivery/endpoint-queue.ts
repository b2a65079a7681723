import { AdaptiveTimeouts } from '../http/adaptive-timeouts.js';
import type { Authorization } from './authorization.js';
import { Attempt, type AttemptContext, type QueuedRequest } from './attempt.js';
import { Connection } from '../http/connection.js';
import type { Connector } from '../http/connector.js';
import { IdleConnections } from '../http/idle-connections.js';
import { EndpointHold, type HoldOptions } from './endpoint-hold.js';
import type { EndpointNotice } from './endpoint-notice.js';
import { EndpointPace, type Rate } from './endpoint-pace.js';
import { LinkedList } from '../collections/linked-list.js';
import { isGone, type AttemptResult } from './outcome.js';
import type { OwnRequest } from './own-request.js';
import type { Network } from '../http/network.js';
import { connectorTo } from '../http/open-connector.js';
import type { AddressGuard } from '../net/private-networks.js';
import { RequestHeaders } from '../http/request-headers.js';
import { querySecrets, redactionOf, type Redaction } from './redaction.js';
import { responseExcerpt } from './response-excerpt.js';
import { Timeouts } from '../http/timeouts.js';
import { TokenWait } from './token-wait.js';
import type { TlsSettings } from '../http/tls.js';
import { withoutQuery } from '../http/url.js';
import { statusVerdict, verdictOfError, type ErrorVerdict } from './verdict.js';

/** What holds for one URL alone. */
export interface QueueSettings {
  /** Maximum requests in flight; further ones are queued. */
  readonly concurrency: number;
  /** Time from the start of an attempt to the status line, in milliseconds. */
  readonly timeoutMs: number;
  /** Statuses that are retried as a 5xx is. Default: none besides those that always are. */
  readonly retryStatus?: readonly number[] | undefined;
  /** Limits the attempts. Default: no limit. */
  readonly rate?: Rate | undefined;
}

export interface EndpointQueueOptions extends QueueSettings, HoldOptions {
  /** Absolute `http:` or `https:` URL. */
  readonly url: string;
  readonly tls: TlsSettings;
  /** Default: that of the system. */
  readonly network?: Network | undefined;
  /** Decides which addresses may be connected to. Default: all. */
  readonly guard?: AddressGuard | undefined;
  /** URL of an HTTP proxy, see `checkProxyUrl`; loopback and literal private addresses are reached without it. Default: none. */
  readonly proxy?: string | undefined;
  /** The `Authorization` of each request, where it is fetched. Default: none. */
  readonly authorization?: Authorization | undefined;
  /**
   * Secrets that a response may repeat and that must not be shown: the shared secret, write key and header
   * values. Those in the query of the URL are hidden, too. Default: none.
   */
  readonly secrets?: readonly (string | Uint8Array)[] | undefined;
  /**
   * Called when the token endpoint refuses the credentials, for each request that needs a token: whoever sends is to
   * stop, and these requests wait until they are withdrawn. Default: their attempts fail, and are retried.
   */
  readonly onRefused?: ((reason: string) => void) | undefined;
  /** Whether a 410 disables the URL, so that nothing more is sent to it. Default false. */
  readonly disablesOnGone?: boolean | undefined;
  /** What an attempt without a response means for its event. Default: `verdictOfError` of `verdict.ts`. */
  readonly verdictOfError?: ErrorVerdict | undefined;
  /** Whether messages name the keys of `tls` in place of flags, as of a service. Default false. */
  readonly namesKeys?: boolean | undefined;
  /** Called once, when a 410 has disabled the URL, here or in another thread. */
  readonly onGone?: () => void;
}

/**
 * Sends requests to one URL with a limited number of connections. Further requests wait in the queue,
 * where they can still be paused or dropped.
 */
export class EndpointQueue {
  readonly url: string;
  readonly #options: EndpointQueueOptions;
  readonly #context: AttemptContext;
  readonly #target: URL;
  readonly #connector: Connector;
  readonly #idle: IdleConnections;
  readonly #inFlight: Timeouts<Attempt>;
  /** Attempts whose status is known, but not what the response says. */
  readonly #explaining: AdaptiveTimeouts<Attempt>;
  /** Attempts whose result is known, but not the end of the body. */
  readonly #draining: AdaptiveTimeouts<Attempt>;
  /** Attempts that have ended, but for the rest of their requests. */
  readonly #writing: Timeouts<Attempt>;
  readonly #waiting = new LinkedList<QueuedRequest>();
  /** Of an endpoint whose `Authorization` is fetched. */
  readonly #tokenWait: TokenWait | undefined;
  readonly #hold: EndpointHold;
  readonly #pace: EndpointPace | undefined;
  #redaction: Redaction | undefined;
  #hasResponded = false;
  #lastHeaders: readonly string[] | undefined;
  #requestHeaders: RequestHeaders | undefined;
  #gone = false;
  #isClosed = false;

  constructor(options: EndpointQueueOptions) {
    this.#target = new URL(options.url);
    this.url = withoutQuery(this.#target);
    this.#options = options;
    this.#connector = connectorTo(this.#target, options);
    const { clock } = options;
    this.#idle = new IdleConnections(clock);
    const expire = (attempt: Attempt): void => attempt.expire();
    this.#inFlight = new Timeouts(options.timeoutMs, expire, clock);
    this.#explaining = new AdaptiveTimeouts(maxExplainMs, briefExplainMs, expire, clock);
    this.#draining = new AdaptiveTimeouts(maxDrainMs, briefDrainMs, expire, clock);
    this.#writing = new Timeouts(maxDrainMs, expire, clock);
    this.#hold = new EndpointHold(options, {
      isSending: () => this.#connectionsInUse() > 0,
      isEmpty: () => this.#waiting.size + this.#connectionsInUse() === 0,
      isDisabled: () => this.#isDisabled(),
      pump: () => this.#pump(),
      onHeld: () => this.#noteHeld(),
    });
    this.#pace = options.rate && new EndpointPace(options.rate, clock, () => this.#pump());
    this.#context = this.#attemptContext();
    this.#tokenWait = options.authorization && this.#waitForTokens(options.authorization);
  }

  /** Whether requests also wait for the turns of a rate. */
  get isPaced(): boolean {
    return this.#pace !== undefined;
  }

  /** Whether a 410 has disabled the URL. */
  get gone(): boolean {
    return this.#gone;
  }

  /** Whether the URL is paused, or down, and gets no more than probes. */
  get isHeld(): boolean {
    return this.#hold.isHeld;
  }

  /** Whether the URL is down and the next request that is posted is sent at once, as a probe. */
  get wantsProbe(): boolean {
    return this.#hold.wantsProbe;
  }

  /** Whether that probe should be an event that was not attempted before, see `CircuitBreaker.wantsFreshProbe`. */
  get wantsFreshProbe(): boolean {
    return this.#hold.wantsFreshProbe;
  }

  /** See `EndpointHold.heldUntil`. */
  get heldUntil(): number {
    return this.#hold.heldUntil;
  }

  /** See `EndpointHold.nextProbe`. */
  nextProbe(id: string, hasProbed: boolean): number | undefined {
    return this.#hold.nextProbe(id, hasProbed);
  }

  /** Ends a pause at this time (milliseconds since 1970), since an event has its last attempt then. */
  endPauseBy(timeMs: number): void {
    this.#hold.endPauseBy(timeMs);
  }

  /** Sends the request as soon as a connection is free and the URL is not paused. */
  post(request: QueuedRequest): void {
    this.#waiting.add(request);
    this.#pump();
  }

  /** Removes a request that is queued. */
  withdraw(request: QueuedRequest): void {
    this.#waiting.delete(request);
  }

  /**
   * Removes a request of which nothing was sent yet, although it has begun: it waits for a token.
   * @returns whether that is so; `sweep` has to follow
   */
  withdrawUnsent(request: QueuedRequest): boolean {
    return this.#tokenWait?.remove(request) ?? false;
  }

  /**
   * Removes a queued request if the queue is longer than `maxQueued`, or the URL is down or paused for more
   * than `maxBehindMs`. Returns its result, or undefined if it stays in the queue.
   */
  withdrawIfBehind(request: QueuedRequest, maxQueued = maxBehind): AttemptResult | undefined {
    if (this.#waiting.size <= maxQueued && !this.#hold.isHeldFor(maxBehindMs)) return undefined;
    this.#waiting.delete(request);
    return this.#unsent(request, behindResult);
  }

  /** Ends attempts whose results decide nothing, as timeouts, if they began `afterMs` milliseconds ago or earlier. */
  expireSettled(afterMs: number): void {
    const before = this.#options.clock.monotonic() - afterMs;
    for (const attempt of this.#inFlight.toArray()) {
      if (attempt.since > before) return;
      if (attempt.isSettled) attempt.expire();
    }
  }

  /** Drops queued requests that are no longer wanted; others may take the places of those that were withdrawn. */
  sweep(): void {
    for (const request of this.#waiting.toArray())
      if (!request.isWanted()) this.#waiting.delete(request);
    if (this.#tokenWait) this.#pump();
  }

  /** Applies what another queue to the same URL has learned from a response. */
  applyNotice(notice: EndpointNotice): void {
    if (notice.kind !== 'gone') this.#hold.applyNotice(notice);
    else if (this.#disable()) this.#failQueued();
  }

  /** Closes every connection; attempts in flight and queued requests end as `reset`. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#hold.close();
    this.#pace?.close();
    this.#idle.close(queueClosed);
    for (const request of this.#tokenWait?.takeAll() ?? [])
      request.done(this.#unsent(request, closedResult));
    for (const limit of [this.#inFlight, this.#explaining, this.#draining, this.#writing]) {
      for (const attempt of limit.takeAll()) attempt.abandon();
    }
    this.#pump();
    return Promise.resolve();
  }

  #pump(): void {
    while (this.#waiting.size > 0 && (this.#isDisabled() || this.#mayStart())) {
      const request = this.#waiting.first!;
      this.#waiting.delete(request);
      if (!request.begin()) continue;
      if (this.#isDisabled()) this.#fail(request);
      else this.#start(request);
    }
    this.#pace?.endTurn(0);
  }

  /** Whether no request can be sent anymore. */
  #isDisabled(): boolean {
    return this.#gone || this.#isClosed;
  }

  /** Tells the queued requests that the URL is paused or down. */
  #noteHeld(): void {
    for (const request of this.#waiting.toArray()) request.held?.();
  }

  #mayStart(): boolean {
    if (!this.#hold.mayStart(this.#connectionsInUse())) return false;
    return this.#pace?.isTurn() !== false && this.#hold.takeProbe();
  }

  #connectionsInUse(): number {
    const busy = this.#inFlight.size + this.#explaining.size + (this.#tokenWait?.size ?? 0);
    return busy + this.#draining.size + this.#writing.size;
  }

  #start(request: QueuedRequest): void {
    this.#pace?.endTurn(request.events ?? 1);
    if (request.attempt === 1) this.#hold.noteFirstAttempt();
    const { authorization } = this.#options;
    const line = request.status === 401 ? authorization?.lineAfterRefusal : authorization?.line;
    if (this.#tokenWait && line === undefined) void this.#tokenWait.add(request);
    else this.#send(request, line);
  }

  #waitForTokens(authorization: Authorization): TokenWait {
    const { clock, onRefused } = this.#options;
    const goOn = (): void => {
      this.#pump();
      this.#hold.scheduleProbe();
    };
    return new TokenWait({
      ...{ clock, authorization, onRefused },
      onLine: (request, line) => {
        this.#send(request, line);
        goOn();
      },
      onMissing: (request, { reason, waitedMs }) => {
        const unsent = this.#unsent(request, noTokenResult);
        const result = { ...unsent, durationMs: waitedMs, detail: reason };
        this.#learn(result);
        request.done(result);
        goOn();
      },
    });
  }

  #send(request: QueuedRequest, authorization: string | undefined): void {
    const connection = this.#idle.take() ?? this.#context.connect();
    const attempt = new Attempt(
      request,
      request.own?.headers() ?? this.#headersFor(request),
      this.#context,
      connection,
      this.#inFlight,
      authorization,
    );
    this.#inFlight.add(attempt);
    attempt.start();
  }

  #release(attempt: Attempt, connection: Connection): void {
    attempt.limit.delete(attempt);
    this.#idle.put(connection);
    if (this.#connectionsInUse() === 0) this.#idle.unref();
    this.#pump();
    this.#hold.scheduleProbe();
  }

  #attemptContext(): AttemptContext {
    const { clock, timeoutMs, retryStatus } = this.#options;
    const isPlain = this.#target.protocol === 'http:';
    const sendsCertificate = !isPlain && this.#options.tls.clientCertificate !== undefined;
    const hasResponded = (): boolean => this.#hasResponded;
    return {
      url: this.url,
      clock,
      timeoutMs,
      get mayExpectTls() {
        return isPlain && !hasResponded();
      },
      get mayRefuseCertificate() {
        return sendsCertificate && !hasResponded();
      },
      authorization: this.#options.authorization,
      namesKeys: this.#options.namesKeys,
      verdictOfStatus: statusVerdict(retryStatus),
      verdictOfError: this.#options.verdictOfError ?? verdictOfError,
      connect: () => new Connection(this.#connector),
      excerptOf: (received, own) => responseExcerpt(received, this.#redactionFor(own)),
      learn: (result) => this.#learn(result),
      report: (result, request) => request.done(result),
      awaitsExcerpt: (attempt) => this.#limit(attempt, this.#explaining.next()),
      drains: (attempt, isBodyWhole) =>
        this.#limit(attempt, isBodyWhole ? this.#writing : this.#draining.next()),
      release: (attempt, connection) => this.#release(attempt, connection),
    };
  }

  /** Replaces the time limit of an attempt. */
  #limit(attempt: Attempt, limit: Timeouts<Attempt>): void {
    attempt.limit.delete(attempt);
    attempt.limit = limit;
    attempt.since = this.#options.clock.monotonic();
    limit.add(attempt);
  }

  /** Made for the first response that is no 2xx, which most runs never see. */
  #redactionOfAll(): Redaction {
    const { secrets = [], authorization } = this.#options;
    const fixed = [...secrets, ...querySecrets(this.#target)];
    // Tokens change.
    if (authorization) return redactionOf([...fixed, ...authorization.secrets()]);
    return (this.#redaction ??= redactionOf(fixed));
  }

  #redactionFor(own: OwnRequest | undefined): Redaction {
    return own
      ? redactionOf([
          ...(this.#options.secrets ?? []),
          ...(this.#options.authorization?.secrets() ?? []),
          ...own.secrets(),
        ])
      : this.#redactionOfAll();
  }

  #headersFor({ headers, sendsTo }: QueuedRequest): RequestHeaders {
    if (sendsTo !== undefined) return new RequestHeaders(new URL(sendsTo), headers);
    if (this.#requestHeaders === undefined || this.#lastHeaders !== headers) {
      this.#lastHeaders = headers;
      this.#requestHeaders = new RequestHeaders(this.#target, headers);
    }
    return this.#requestHeaders;
  }

  /** Applies a response to the URL as a whole. */
  #learn(result: AttemptResult): void {
    if (result.status !== null) this.#hasResponded = true;
    const isLast = isGone(result) && this.#disable();
    this.#hold.learn(result);
    if (!isLast) return;
    this.#options.onNotice?.({ kind: 'gone' });
    this.#failQueued();
  }

  /** Returns whether the URL was enabled before. */
  #disable(): boolean {
    if (this.#gone || this.#options.disablesOnGone !== true) return false;
    this.#gone = true;
    return true;
  }

  /** Fails all queued requests of a URL that is gone. */
  #failQueued(): void {
    this.#options.onGone?.();
    this.#pump();
  }

  #fail(request: QueuedRequest): void {
    request.done(this.#unsent(request, this.#gone ? goneResult : closedResult));
  }

  #unsent(
    { attempt, own }: QueuedRequest,
    why: Pick<AttemptResult, 'error' | 'verdict'>,
  ): AttemptResult {
    const at = this.#options.clock.now();
    return { url: own?.url ?? this.url, attempt, at, durationMs: 0, status: null, ...why };
  }
}

/**
 * How long to wait for the rest of a response in order to reuse the connection: about as long as opening a
 * new one over TLS. A longer wait costs more than it saves, since the connection is blocked meanwhile.
 */
const maxDrainMs = 100;
/** The same at a URL whose bodies have not ended in that time: what has arrived already is still read. */
const briefDrainMs = 1;
/**
 * How long to wait for the beginning of a body that says why a request failed. It holds up its event and
 * one connection, so a server that is slow to explain itself is not waited for.
 */
const maxExplainMs = 1_000;
/** The same at a URL that has not explained itself in that time. */
const briefExplainMs = 10;
/** Maximum first attempts queued at a URL for events that another URL has accepted. */
const maxBehind = 512;
/** How long these may wait for the end of a pause. */
const maxBehindMs = 10_000;
const behindResult = { error: 'behind', verdict: 'failed' } as const;
const goneResult = { error: 'gone', verdict: 'failed' } as const;
const noTokenResult = { error: 'oauth2', verdict: 'retry' } as const;
const closedResult = { error: 'reset', verdict: 'retry' } as const;
const queueClosed = new Error('endpoint queue closed');
