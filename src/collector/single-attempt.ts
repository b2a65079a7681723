import { explainFailure } from '../delivery/describe.js';
import type { DeliveryState } from '../delivery/delivery.js';
import { afterAttempt, isPastWindow } from '../delivery/endpoint-state.js';
import type { QueuedRequest } from '../delivery/attempt.js';
import { heldUntil } from '../delivery/held-until.js';
import type { AttemptResult, EndpointDeliveryState, SharedOutcome } from '../delivery/outcome.js';
import type { Batch, Share } from './batch.js';
import { unsent } from './recipient.js';
import type { Route } from './upload.js';

/**
 * One batch that is posted once. Messages with earlier attempts have their own histories. Messages to be
 * retried are handed back, and may be in another batch then.
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

  /** `body` is that of the batch. `onMove` is called once, before the outcomes are reported. */
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
    const { queue, headers } = this.#route;
    if (queue.isHeld && !queue.wantsProbe) {
      this.#hold();
      return;
    }
    const request: QueuedRequest = {
      body: this.#body,
      headers,
      attempt: 1,
      isWanted: () => this.#phase === 'queued',
      begin: () => this.#begin(),
      held: () => {
        queue.withdraw(request);
        this.#hold();
      },
      done: (result) => this.#finish((share) => this.#outcome(share, result)),
    };
    queue.post(request);
  }

  /** Hands its messages back unsent, since the collector is down or paused. */
  #hold(): void {
    const { queue, retries, clock } = this.#route;
    const now = clock.now();
    this.#finish(({ endpointDelivery = notAttempted }) =>
      this.#isLate(endpointDelivery)
        ? this.#late(endpointDelivery)
        : this.#again(endpointDelivery, heldUntil(queue, endpointDelivery, retries, now)),
    );
  }

  /** Ends it unless it is in flight; its messages keep their state for a later run. */
  interrupt(): void {
    if (this.#phase === 'queued') this.#finish(() => unsent(this.#route.queue.url));
  }

  /** Called before it is sent, which a pause of the collector may have delayed by hours. */
  #begin(): boolean {
    if (this.#phase !== 'queued') return false;
    this.#phase = 'active';
    if (!this.#batch.shares.some(({ endpointDelivery }) => this.#isLate(endpointDelivery)))
      return true;
    this.#finish(({ endpointDelivery }) =>
      endpointDelivery && this.#isLate(endpointDelivery)
        ? this.#late(endpointDelivery)
        : this.#again(endpointDelivery ?? notAttempted, this.#route.clock.now()),
    );
    return false;
  }

  #isLate(endpointDelivery: EndpointDeliveryState | undefined): boolean {
    const { retries, clock } = this.#route;
    return endpointDelivery !== undefined && isPastWindow(endpointDelivery, retries, clock.now());
  }

  #late(endpointDelivery: EndpointDeliveryState): SharedOutcome {
    const why = explainFailure(this.#route.queue.url, endpointDelivery);
    return { verdict: 'failed', attempts: [], attemptCount: endpointDelivery.attempts, ...why };
  }

  /** They are sent in another batch, at once where only other messages of this one were too late. */
  #again(endpointDelivery: EndpointDeliveryState, dueAt: number): SharedOutcome {
    return {
      verdict: 'pending',
      attempts: [],
      retry: { dueAt, endpointDeliveries: [{ ...endpointDelivery, dueAt }] },
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

  #outcome({ messages, endpointDelivery }: Share<M>, result: AttemptResult): SharedOutcome {
    const { queue, retries, clock, recipient } = this.#route;
    const now = clock.now();
    const attempted = afterAttempt(endpointDelivery, result, retries, now);
    const after =
      attempted.dueAt !== undefined && queue.isHeld
        ? {
            ...attempted,
            dueAt: Math.min(attempted.dueAt, heldUntil(queue, attempted, retries, now)),
          }
        : attempted;
    const attempt = { ...result, attempt: after.attempts };
    recipient.onAttempt(messages, attempt);
    const made = { attempts: [attempt], attemptCount: after.attempts };
    if (after.isDelivered) return { verdict: 'delivered', ...made };
    return { ...this.#undelivered(after), ...made };
  }

  #undelivered(
    endpointDelivery: EndpointDeliveryState,
  ): Pick<SharedOutcome, 'verdict' | 'code' | 'message' | 'retry'> {
    const why = explainFailure(this.#route.queue.url, endpointDelivery);
    if (endpointDelivery.dueAt === undefined) return { verdict: 'failed', ...why };
    return {
      verdict: 'pending',
      ...why,
      retry: { dueAt: endpointDelivery.dueAt, endpointDeliveries: [endpointDelivery] },
    };
  }
}

const notAttempted: EndpointDeliveryState = { attempts: 0, firstAt: 0, status: null, error: null };
