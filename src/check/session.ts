import { randomBytes } from 'node:crypto';
import type { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock, type Clock } from '../clock.js';
import { ProbeClient } from './client.js';
import { nothingKnown, type ConnectionFacts } from './connection/facts.js';
import { inspectConnection } from './connection/inspect.js';
import { isSuccess, type Exchange, type ProbeRequest } from './exchange.js';
import { Pace } from './pace.js';
import { RateLimit } from './rate-limit.js';
import type { EventKind } from './senders/sender.js';
import { SessionEnded, unlessAborted } from './session-ended.js';
import type { CheckSettings } from './settings.js';
import { cutCode } from './transfer.js';

/** The number of requests in a row without a response after which nothing more is sent. */
const maxSilent = 5;

export interface SendOptions {
  /** Default: a connection for this request alone. */
  readonly agent?: Agent;
  /** The caller has taken its turn from the pace, and may exceed the limit of requests in flight. */
  readonly isPaced?: boolean | undefined;
  /** Whether it is sent again when a limiter has refused it. Default true. */
  readonly isRepeated?: boolean;
  /** How long a response is waited for once the body is sent, in milliseconds. Default: three times the deadline. */
  readonly timeoutMs?: number;
}

/** What all checks of a run share: the connection to the endpoint, the rate, and what was seen. */
export class Session {
  #settings: CheckSettings;
  readonly facts: ConnectionFacts;
  readonly client: ProbeClient;
  readonly pace: Pace;
  readonly limit: RateLimit;
  /** Part of every messageId of this run. */
  readonly runId = randomBytes(4).toString('hex');
  readonly #exchanges: Exchange[] = [];
  /** Aborts when the run is interrupted. */
  readonly signal: AbortSignal;
  readonly #clock: Clock;
  /** Aborts when the run no longer waits for a limiter of the endpoint. */
  readonly #over = new AbortController();
  #silent = 0;

  /**
   * A session with an endpoint whose connection was looked at; nothing is known of it after an interruption.
   * @throws UnreachableError when no connection can be opened
   */
  static async open(settings: CheckSettings, signal: AbortSignal, clock?: Clock): Promise<Session> {
    const facts = await unlessAborted(inspectConnection(settings, signal), signal).catch(
      (error: unknown) => {
        if (error instanceof SessionEnded) return nothingKnown;
        throw error;
      },
    );
    return new Session(settings, signal, facts, clock);
  }

  /** @param clock of the pace and the limits; what the endpoint does is measured by the system's */
  constructor(
    settings: CheckSettings,
    signal: AbortSignal,
    facts = nothingKnown,
    clock = systemClock,
  ) {
    this.#settings = settings;
    this.facts = facts;
    this.client = new ProbeClient(settings);
    this.signal = signal;
    this.#clock = clock;
    this.pace = new Pace(settings.rate, clock, AbortSignal.any([signal, this.#over.signal]));
    this.limit = new RateLimit(this.pace, clock);
  }

  get settings(): CheckSettings {
    return this.#settings;
  }

  /** From now on, checks vary events of another kind. */
  vary(usual: EventKind): void {
    this.#settings = { ...this.#settings, sender: { ...this.#settings.sender, usual } };
  }

  /** Whether the check of this kind of event saw it accepted. */
  hasAccepted({ name }: EventKind): boolean {
    return this.#exchanges.some(
      (exchange) => exchange.checkId === `accept.${name}` && isSuccess(exchange),
    );
  }

  /** Whether any valid event was accepted. */
  get hasAcceptedAny(): boolean {
    return this.#exchanges.some((exchange) => exchange.request.isValid && isSuccess(exchange));
  }

  /** Every request with its response, in the order in which they ended. */
  get exchanges(): readonly Exchange[] {
    return this.#exchanges;
  }

  /** Whether requests in a row had no response. */
  get isSilent(): boolean {
    return this.#silent >= maxSilent;
  }

  /** The index of the last request that had a response; -1 if none had. */
  get lastAnswered(): number {
    return this.#exchanges.findLastIndex(({ response }) => response !== undefined);
  }

  /** Why nothing more is sent, in a sentence; undefined while it goes on. Requests count from 1. */
  get whyEnded(): string | undefined {
    if (this.isSilent) return this.silence;
    const { givenUp } = this.limit;
    if (givenUp === undefined) return undefined;
    const from = this.#exchanges.findLastIndex((one) => !this.limit.hasRefused(one)) + 2;
    return `the endpoint limits the rate, and ${givenUp}, from request ${from} on`;
  }

  get silence(): string {
    return `the endpoint stopped responding: five requests in a row had no response, from request ${this.lastAnswered + 2} on`;
  }

  /** How long a response is waited for, in milliseconds. */
  get timeoutMs(): number {
    return 3 * this.settings.deadlineMs;
  }

  /**
   * Sends a request when the rate allows it, and once.
   * @param make called when its turn has come, since signatures get old while a limiter is waited for
   * @throws SessionEnded when nothing more is sent
   */
  async send(
    checkId: string,
    make: () => ProbeRequest,
    options: SendOptions = {},
  ): Promise<Exchange> {
    const send = async (): Promise<Exchange> => {
      this.#checkGoing();
      const { agent, timeoutMs = this.timeoutMs } = options;
      const request = make();
      const sentAt = this.#clock.monotonic();
      const received = await this.client.send(request, timeoutMs, agent, this.signal);
      if (this.signal.aborted) throw new SessionEnded();
      const exchange = { checkId, request, ...received };
      this.#note(exchange, sentAt);
      return exchange;
    };
    this.#checkGoing();
    return options.isPaced ? send() : this.pace.run(send);
  }

  /**
   * Waits, or until the other signal aborts.
   * @throws SessionEnded when the run is interrupted
   */
  async sleep(ms: number, until?: AbortSignal): Promise<void> {
    const signal = until ? AbortSignal.any([this.signal, until]) : this.signal;
    await wait(ms, undefined, { signal }).catch(() => undefined);
    if (this.signal.aborted) throw new SessionEnded();
  }

  close(): void {
    this.client.close();
  }

  #checkGoing(): void {
    if (this.limit.givenUp !== undefined) this.#over.abort();
    if (this.isSilent || this.signal.aborted || this.#over.signal.aborted) throw new SessionEnded();
  }

  #note(exchange: Exchange, sentAt: number): void {
    this.#exchanges.push(exchange);
    this.limit.note(exchange, sentAt);
    if (this.limit.givenUp !== undefined) this.#over.abort();
    if (exchange.response) this.#silent = 0;
    else if (saysGone(exchange)) this.#silent++;
  }
}

/**
 * Whether it may mean that the endpoint has gone. Some endpoints are silent about what they do not
 * understand or believe: only a valid event, or a connection that is refused, tells.
 */
function saysGone({ request, errorCode }: Exchange): boolean {
  if (errorCode === cutCode) return false;
  return request.isValid || errorCode === 'ECONNREFUSED';
}
