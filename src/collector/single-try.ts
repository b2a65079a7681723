import { explainFailure } from '../deliver/describe.js';
import type { DeliveryState } from '../deliver/delivery.js';
import { afterAttempt, isPastWindow } from '../deliver/leg.js';
import type { AttemptResult, EndpointDeliveryState } from '../deliver/outcome.js';
import type { Batch, Share } from './batch.js';
import { unsent, type SharedOutcome } from './recipient.js';
import type { Route } from './upload.js';

/**
 * One batch that is posted once. Messages that were tried before have histories of their own; what
 * is to be tried again is handed back, and may stand in another batch then.
 */
export class SingleAttempt<M> {
  /** Resolves when every message has ended. */
  readonly ended: Promise<void>;
  readonly #batch: Batch<M>;
  readonly #body: Buffer;
  readonly #route: Route<M>;
  readonly #onMove: (from: 'active', to: DeliveryState) => void;
  #phase: 'queued' | 'active' | 'ended' = 'queued';
  #end!: () => void;

  /** `body` is that of the batch. `onMove` is called once, before the messages are told. */
  constructor(
    batch: Batch<M>,
    body: Buffer,
    route: Route<M>,
    onMove: (from: 'active', to: DeliveryState) => void,
  ) {
    this.#batch = batch;
    this.#body = body;
    this.#route = route;
    this.#onMove = onMove;
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  start(): void {
    const { lane, headers } = this.#route;
    lane.post({
      body: this.#body,
      headers,
      attempt: 1,
      isWanted: () => this.#phase === 'queued',
      begin: () => this.#begin(),
      done: (result) => this.#finish((share) => this.#outcome(share, result)),
    });
  }

  /** Ends it, unless it is in flight: its messages go on as they were, from the store or their lines. */
  interrupt(): void {
    if (this.#phase === 'queued') this.#finish(() => unsent(this.#route.lane.url));
  }

  /** Its turn has come, which a pause of the collector may have put off for hours. */
  #begin(): boolean {
    if (this.#phase !== 'queued') return false;
    this.#phase = 'active';
    if (!this.#batch.shares.some(({ leg }) => this.#isLate(leg))) return true;
    this.#finish(({ leg }) => (leg && this.#isLate(leg) ? this.#late(leg) : this.#again(leg)));
    return false;
  }

  #isLate(leg: EndpointDeliveryState | undefined): boolean {
    const { retries, clock } = this.#route;
    return leg !== undefined && isPastWindow(leg, retries, clock.now());
  }

  #late(leg: EndpointDeliveryState): SharedOutcome {
    const why = explainFailure(this.#route.lane.url, leg);
    return { verdict: 'failed', attempts: [], attemptCount: leg.attempts, ...why };
  }

  /** The body holds messages that are too late, so the others go in another batch, at once. */
  #again(leg: EndpointDeliveryState = notTried): SharedOutcome {
    const dueAt = this.#route.clock.now();
    return {
      verdict: 'pending',
      attempts: [],
      retry: { dueAt, endpointStates: [{ ...leg, dueAt }] },
    };
  }

  #finish(outcomeOf: (share: Share<M>) => SharedOutcome): void {
    this.#phase = 'ended';
    this.#onMove('active', 'ended');
    for (const share of this.#batch.shares) {
      this.#route.recipient.onEnd(share.messages, outcomeOf(share));
    }
    this.#end();
  }

  #outcome({ messages, leg }: Share<M>, result: AttemptResult): SharedOutcome {
    const { retries, clock, recipient } = this.#route;
    const after = afterAttempt(leg, result, retries, clock.now());
    const attempt = { ...result, attempt: after.attempts };
    recipient.onAttempt(messages, attempt);
    const tried = { attempts: [attempt], tries: after.attempts };
    if (after.isDelivered) return { verdict: 'delivered', ...tried };
    return { ...this.#undelivered(after), ...tried };
  }

  #undelivered(
    leg: EndpointDeliveryState,
  ): Pick<SharedOutcome, 'verdict' | 'code' | 'message' | 'retry'> {
    const why = explainFailure(this.#route.lane.url, leg);
    if (leg.dueAt === undefined) return { verdict: 'failed', ...why };
    return { verdict: 'pending', ...why, retry: { dueAt: leg.dueAt, endpointStates: [leg] } };
  }
}

const notTried: EndpointDeliveryState = { attempts: 0, firstAt: 0, status: null, error: null };
