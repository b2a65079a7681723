import { systemClock, type Clock } from '../clock.js';
import { defaults } from '../defaults.js';
import { Availability } from '../delivery/availability.js';
import type { DownReason } from '../delivery/circuit-breaker.js';
import type { EndpointNotice } from '../delivery/endpoint-notice.js';
import type { Rate } from '../delivery/endpoint-pace.js';
import { EndpointQueue } from '../delivery/endpoint-queue.js';
import { LeasedTurns } from '../delivery/leased-turns.js';
import type { LeaseRequest, TurnLease } from '../turn-lease.js';
import { headerSecrets } from '../delivery/redaction.js';
import type { ErrorVerdict } from '../delivery/verdict.js';
import { Semaphore } from '../delivery/semaphore.js';
import type { ClientCertificate } from '../http/tls.js';
import { withoutQuery } from '../http/url.js';
import type { Network } from '../http/network.js';
import type { AddressGuard } from '../net/private-networks.js';
import type { SigningSettings } from '../sign/request-signer.js';
import type { Secret } from '../sign/schemes/scheme.js';
import { authSecrets } from './auth.js';
import type { Endpoint } from './endpoint.js';
import { maxInFlight, queueSettings } from './endpoint-settings.js';
import type { WebhookDestinationOptions } from './options.js';
import { headerPairs } from './settings.js';
import { settingsOf } from './signing-options.js';
import { signingSecrets } from './signing.js';
import { authorizationOf } from './tokens.js';

/** What the requests to a URL tell about it as a whole. */
export interface ConnectionsListener {
  /** Called when a URL is considered down, with the reason, and when it is up again. */
  readonly onDown?: (url: string, isDown: boolean, reason?: DownReason) => void;
  /**
   * Called with what a response says about a whole URL, given by its index in `urls`, so that others who
   * send to that URL can apply it as well; not for notices received by `applyNotice`. Of several targets
   * with the same connections, one is called.
   */
  readonly onNotice?: (queue: number, notice: EndpointNotice) => void;
  /**
   * Called when the token endpoint of a URL, given by its index in `urls`, refuses the credentials; the target is to be
   * interrupted then, as requests without a token wait for it. Default: their attempts fail, and are retried.
   */
  readonly onRefused?: (queue: number, reason: string) => void;
  /** Asked before each probe of a URL that is down, given by its index in `urls`. Default: always. */
  readonly mayProbe?: (queue: number) => Promise<boolean>;
  /**
   * The next turns of the rate of a URL, given by its index in `urls`, where other processes have the same rate.
   * Undefined: none now. Default: the rate is that of these connections alone.
   */
  readonly leaseTurns?: (queue: number, request: LeaseRequest) => Promise<TurnLease | undefined>;
}

/** A target that uses connections. */
export interface ConnectionsUser
  extends ConnectionsListener, Pick<WebhookDestinationOptions, 'onPause'> {
  /** A URL is gone. */
  readonly onGone: () => void;
  /** A URL may accept requests again, or a probe. */
  readonly onAvailable: () => void;
}

export interface ConnectionsOptions extends Pick<
  WebhookDestinationOptions,
  | 'endpoints'
  | 'sharedSecret'
  | 'scheme'
  | 'concurrency'
  | 'timeoutMs'
  | 'retryWindowMs'
  | 'ca'
  | 'disablesOnGone'
  | 'clock'
> {
  /** How requests are signed, in place of `sharedSecret` and `scheme`; empty: not at all. */
  readonly signing?: readonly SigningSettings[] | undefined;
  /** Default: that of the system. */
  readonly network?: Network | undefined;
  /** More secrets to hide in responses. Default: none. */
  readonly sourceSecrets?: readonly Secret[] | undefined;
  /** Which addresses may be connected to. Default: all. */
  readonly guard?: AddressGuard;
  /** What an attempt without a response means for its event. Default: untrusted certificates are final. */
  readonly verdictOfError?: ErrorVerdict | undefined;
  /** Whether messages name the keys of `tls` in place of flags, as of a service. Default false. */
  readonly namesKeys?: boolean | undefined;
  /** Sent to servers that ask for one. Default: none. */
  readonly clientCertificate?: ClientCertificate | undefined;
  /** Whether `onRefused` of the targets is called. Default false. */
  readonly stopsWhenRefused?: boolean | undefined;
  /** Whether `mayProbe` of a target is asked. Default false. */
  readonly asksBeforeProbe?: boolean | undefined;
  /** Whether `leaseTurns` of a target is asked. Default false. */
  readonly sharesRates?: boolean | undefined;
}

/** How long after an answer without turns the next target is asked for some. */
const leaseAgainMs = 100;

/**
 * The connections to the URLs of a target, and what is known of these: paused, down, gone. Several targets
 * may use them; `concurrency` holds for all together.
 */
export class WebhookConnections {
  /** One for each endpoint. */
  readonly queues: readonly EndpointQueue[];
  /** The events in flight of all targets. */
  readonly inFlight: Semaphore;
  readonly availability: Availability;
  readonly #users = new Set<ConnectionsUser>();
  readonly #leasedTurns: LeasedTurns[] = [];
  #isClosed = false;

  /** The options must have been checked. */
  constructor(options: ConnectionsOptions) {
    const { endpoints, concurrency } = options;
    this.inFlight = new Semaphore(maxInFlight(endpoints, concurrency), Infinity);
    this.queues = endpoints.map((endpoint, index) => this.#queue(options, endpoint, index));
    this.availability = new Availability(this.queues);
  }

  join(user: ConnectionsUser): void {
    this.#users.add(user);
  }

  leave(user: ConnectionsUser): void {
    this.#users.delete(user);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const turns of this.#leasedTurns) turns.stop();
    await Promise.all(this.queues.map((queue) => queue.close()));
  }

  #queue(options: ConnectionsOptions, endpoint: Endpoint, index: number): EndpointQueue {
    const shown = withoutQuery(endpoint.url);
    const { clock = systemClock } = options;
    return new EndpointQueue({
      url: endpoint.url,
      ...queueSettings(endpoint, index, {
        ...options,
        clock,
        ...(options.sharesRates && { rateOf: () => this.#leasedRate(endpoint, index, clock) }),
      }),
      tls: {
        rejectUnauthorized: true,
        ca: [...(options.ca ?? []), ...(endpoint.tls?.ca ?? [])],
        clientCertificate: options.clientCertificate ?? endpoint.tls?.clientCertificate,
      },
      clock,
      network: options.network,
      guard: options.guard,
      proxy: endpoint.proxy,
      authorization: authorizationOf(endpoint, { ca: options.ca, guard: options.guard, clock }),
      retryWindowMs: options.retryWindowMs ?? defaults.retryWindowMs,
      disablesOnGone: options.disablesOnGone,
      verdictOfError: options.verdictOfError,
      namesKeys: options.namesKeys,
      secrets: [
        ...secretsOf(endpoint, options.signing ?? settingsOf(options)),
        ...(options.sourceSecrets ?? []),
      ],
      onGone: () => this.#users.forEach((user) => user.onGone()),
      onPause: (untilMs) => this.#users.forEach((user) => user.onPause?.(shown, untilMs)),
      onDown: (isDown, reason) => this.#tellDown(shown, isDown, reason),
      onNotice: (notice) => this.#notify(index, notice),
      onAvailable: () => this.#users.forEach((user) => user.onAvailable()),
      ...(options.stopsWhenRefused && {
        onRefused: (reason) => this.#users.forEach((user) => user.onRefused?.(index, reason)),
      }),
      ...(options.asksBeforeProbe && { mayProbe: () => this.#mayProbe(index) }),
    });
  }

  #leasedRate({ rate = Infinity }: Endpoint, index: number, clock: Clock): Rate {
    const turns = new LeasedTurns((request) => this.#lease(index, request, clock), rate, clock);
    this.#leasedTurns.push(turns);
    return turns;
  }

  /** Asks the first target that is still open; undefined once these connections are closed. */
  async #lease(index: number, request: LeaseRequest, clock: Clock): Promise<TurnLease | undefined> {
    let current = request;
    while (!this.#isClosed) {
      const [user] = this.#users;
      const lease = await user?.leaseTurns?.(index, current);
      if (lease) return lease;
      // That target was closed meanwhile; another one is asked at once.
      current = { ...request, unused: 0 };
      const [another] = this.#users;
      if (another && another !== user) continue;
      await new Promise<void>((resolve) => clock.after(leaseAgainMs, resolve, inBackground));
    }
    return undefined;
  }

  #tellDown(url: string, isDown: boolean, reason: DownReason | undefined): void {
    for (const user of this.#users) user.onDown?.(url, isDown, reason);
  }

  /** One of the targets is enough to tell others. */
  #notify(index: number, notice: EndpointNotice): void {
    const [user] = this.#users;
    user?.onNotice?.(index, notice);
  }

  async #mayProbe(index: number): Promise<boolean> {
    const [user] = this.#users;
    return (await user?.mayProbe?.(index)) ?? false;
  }
}

const inBackground = { keepsAlive: false };

function secretsOf(
  { headers, auth }: Endpoint,
  signing: readonly SigningSettings[],
): (string | Uint8Array)[] {
  const values = headerPairs(headers).flatMap(([, value]) => headerSecrets(value));
  return [...signing.flatMap(signingSecrets), ...values, ...authSecrets(auth)];
}
