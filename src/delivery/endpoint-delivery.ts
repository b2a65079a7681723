import type { Clock } from '../clock.js';
import type { QueuedRequest } from './attempt.js';
import { explainFailure } from './describe.js';
import type { EndpointQueue } from './endpoint-queue.js';
import { storedState, type EndpointProgress } from './endpoint-state.js';
import type { AttemptError, AttemptResult, EndpointDeliveryState, Verdict } from './outcome.js';
import type { OwnRequest } from './own-request.js';

/**
 * `queued`: in the endpoint queue. `active`: in flight. `waiting`: for a retry to come due. `postponed`:
 * to be handed back.
 */
export type EndpointPhase = 'queued' | 'active' | 'waiting' | 'postponed' | 'delivered' | 'failed';

/** The delivery that an endpoint delivery is part of. */
export interface DeliveryOwner {
  /** The same bytes at every attempt. */
  readonly body: Buffer;
  /** How many events the body has. */
  readonly events: number;
  /** Of the attempt that is written now, to the URL with this index. */
  headerLines(index: number): string;
  /** Where the requests to the URL with this index go; undefined: to that URL. */
  sendsTo(index: number): string | undefined;
  /** Drops the body from memory, unless a request still waits to be written or it cannot be made again. */
  releaseBody(): void;
  /** Whether no retry can change the final status anymore. */
  isSettled(): boolean;
  begin(endpointDelivery: EndpointDelivery): boolean;
  held(endpointDelivery: EndpointDelivery): void;
  settle(endpointDelivery: EndpointDelivery, result: AttemptResult): void;
}

/** One URL's part in the delivery of one event; also the request that is put into the endpoint queue. */
export class EndpointDelivery implements QueuedRequest, EndpointProgress {
  readonly queue: EndpointQueue;
  readonly headers: readonly string[];
  readonly own: OwnRequest | undefined;
  previous: QueuedRequest | undefined = undefined;
  next: QueuedRequest | undefined = undefined;
  phase: EndpointPhase = 'queued';
  attempts = 0;
  firstAt = 0;
  status: number | null = null;
  error: AttemptError | null = null;
  detail: string | undefined = undefined;
  verdict: Verdict | undefined = undefined;
  dueAt: number | undefined = undefined;
  /** See `EndpointDeliveryState`. */
  lateMs = 0;
  /** Whether it goes again at once, whatever the retry window says. */
  retriesAtOnce = false;
  #cancelWait: (() => void) | undefined = undefined;
  /** Of its URL among all of the target. */
  readonly index: number;
  readonly #owner: DeliveryOwner;

  constructor(
    owner: DeliveryOwner,
    index: number,
    queue: EndpointQueue,
    headers: readonly string[],
    own?: OwnRequest,
  ) {
    this.#owner = owner;
    this.index = index;
    this.queue = queue;
    this.headers = headers;
    this.own = own;
  }

  get body(): Buffer {
    return this.#owner.body;
  }

  get events(): number {
    return this.#owner.events;
  }

  get sendsTo(): string | undefined {
    return this.#owner.sendsTo(this.index);
  }

  headerLines(): string {
    return this.#owner.headerLines(this.index);
  }

  get attempt(): number {
    return this.attempts + 1;
  }

  isWanted(): boolean {
    return this.phase === 'queued';
  }

  isSettled(): boolean {
    return this.#owner.isSettled();
  }

  written(): void {
    this.#owner.releaseBody();
  }

  begin(): boolean {
    return this.#owner.begin(this);
  }

  held(): void {
    this.#owner.held(this);
  }

  done(result: AttemptResult): void {
    this.#owner.settle(this, result);
  }

  /**
   * Continues from a state that was handed back. A URL that is gone is not waited for, since its result is
   * known. `now` is in milliseconds since 1970.
   */
  restore(
    {
      attempts,
      firstAt,
      dueAt,
      status,
      error,
      detail,
      isDelivered,
      lateMs,
      retriesAtOnce,
    }: EndpointDeliveryState,
    now: number,
  ): void {
    this.attempts = attempts;
    this.firstAt = firstAt;
    this.dueAt = dueAt;
    this.lateMs = lateMs ?? 0;
    this.retriesAtOnce = retriesAtOnce === true;
    if (attempts === 0) return;
    this.status = status;
    this.error = error;
    this.detail = detail;
    if (isDelivered) this.verdict = 'delivered';
    else this.verdict = dueAt === undefined ? 'failed' : 'retry';
    if (this.verdict !== 'retry') this.phase = this.verdict;
    else this.phase = dueAt! <= now || this.queue.gone ? 'queued' : 'postponed';
  }

  /** Calls `onDue` when its retry is due, but not before `minMs` from now, unless that is awaited already. */
  waitUntilDue(clock: Clock, onDue: () => void, minMs = 0): void {
    this.#cancelWait ??= clock.after(Math.max(this.dueAt! - clock.now(), minMs), () => {
      this.#cancelWait = undefined;
      onDue();
    });
  }

  cancelWait(): void {
    this.#cancelWait?.();
    this.#cancelWait = undefined;
  }

  /** Its state, to be handed back. */
  state(): EndpointDeliveryState {
    const state = storedState(this);
    return this.retriesAtOnce ? { ...state, retriesAtOnce: true } : state;
  }

  /** Why it has not delivered. */
  explain(isInterrupted: boolean): { code: string; message: string } {
    const { queue, own, attempts, status, error, detail } = this;
    const url = own?.url ?? queue.url;
    if (attempts > 0) {
      const last = { status, error, ...(detail !== undefined && { detail }) };
      return explainFailure(url, { ...last, attempts });
    }
    if (isInterrupted)
      return { code: 'interrupted', message: `${url}: interrupted before it was sent` };
    return { code: 'unavailable', message: `${url}: not sent yet, since it is down or paused` };
  }
}
