import { codeOfResult } from '../delivery/describe.js';
import { Delivery, type DeliveryRules, type DeliveryState } from '../delivery/delivery.js';
import type { EndpointQueue } from '../delivery/endpoint-queue.js';
import type { AttemptResult, Outcome } from '../delivery/outcome.js';
import type { RetryPolicy } from '../delivery/retry-schedule.js';
import type { Clock } from '../clock.js';
import type { Batch } from './batch.js';
import { log } from './log.js';
import type { Recipient } from './recipient.js';

/** What all uploads to a collector share. */
export interface Route<M> {
  readonly queue: EndpointQueue;
  /** Name, value, name, value, … */
  readonly headers: readonly string[];
  readonly clock: Clock;
  readonly retries: RetryPolicy;
  readonly recipient: Recipient<M>;
}

type LiveState = Exclude<DeliveryState, 'ended'>;

/** One batch in delivery: the same bytes at every attempt, one outcome for all its messages. */
export class Upload<M> {
  /** Resolves when every message has ended. */
  readonly ended: Promise<void>;
  readonly #batch: Batch<M>;
  readonly #recipient: Recipient<M>;
  readonly #delivery: Delivery;
  readonly #onMove: (from: LiveState, to: DeliveryState) => void;
  #state: LiveState = 'active';
  #hasWaited = false;
  #end!: () => void;

  /**
   * `body` is that of the batch. `onMove` is called with each new state; for `ended`, before the outcomes
   * are reported.
   */
  constructor(
    batch: Batch<M>,
    body: Buffer,
    route: Route<M>,
    onMove: (from: LiveState, to: DeliveryState) => void,
  ) {
    this.#batch = batch;
    this.#recipient = route.recipient;
    this.#onMove = onMove;
    this.ended = new Promise((resolve) => (this.#end = resolve));
    this.#delivery = new Delivery(
      { messageId: '', body, headers: [route.headers] },
      [route.queue],
      this.#rules(route),
      (state) => this.#move(state),
    );
  }

  start(): void {
    this.#delivery.start();
  }

  /** Stops waiting for a retry; a request in flight may finish. */
  interrupt(): void {
    this.#delivery.interrupt();
  }

  #rules({ clock, retries }: Route<M>): DeliveryRules {
    const onAttempt = (result: AttemptResult): void => this.#reportAttempt(result);
    return { clock, retries, allUrls: false, returnsRetries: false, onAttempt };
  }

  #move(to: DeliveryState): void {
    const from = this.#state;
    if (to !== 'ended') this.#state = to;
    this.#onMove(from, to);
    if (to === 'waiting') this.#reportWait();
    else if (to === 'ended') this.#reportEnd(this.#delivery.outcome());
  }

  #reportAttempt(result: AttemptResult): void {
    if (log.enabled) logAttempt(result, this.#batch.size);
    for (const { messages } of this.#batch.shares) this.#recipient.onAttempt(messages, result);
  }

  #reportWait(): void {
    if (this.#hasWaited) return;
    this.#hasWaited = true;
    for (const { messages } of this.#batch.shares) this.#recipient.onWait(messages);
  }

  #reportEnd(outcome: Outcome): void {
    for (const { messages } of this.#batch.shares) this.#recipient.onEnd(messages, outcome);
    this.#end();
  }
}

function logAttempt(result: AttemptResult, messages: number): void {
  const response = result.status === null ? codeOfResult(result) : `HTTP ${result.status}`;
  const durationMs = Math.round(result.durationMs);
  log('%s after %d ms, attempt %d of %d messages', response, durationMs, result.attempt, messages);
}
