import { codeOfResult } from '../deliver/describe.js';
import type { Lane } from '../deliver/lane.js';
import type { AttemptResult, Outcome } from '../deliver/outcome.js';
import { Delivery, type DeliveryRules, type DeliveryState } from '../deliver/delivery.js';
import type { Batch } from './batch.js';
import { log } from './log.js';

/** What all uploads of a collector have in common. */
export interface Route {
  readonly lane: Lane;
  /** Name, value, name, value, … */
  readonly headers: readonly string[];
  readonly rules: DeliveryRules;
}

type LiveState = Exclude<DeliveryState, 'ended'>;

/** One batch on its way: the same bytes at every try, one fate for all its messages. */
export class Upload {
  /** Resolves when every message is settled. */
  readonly ended: Promise<void>;
  readonly #batch: Batch;
  readonly #delivery: Delivery;
  readonly #onMove: (from: LiveState, to: DeliveryState) => void;
  #state: LiveState = 'active';
  #hasWaited = false;
  #end!: () => void;

  /**
   * `now` is in milliseconds since 1970. `onMove` is called when it begins to wait, goes on, or ends;
   * an end comes before its messages are settled.
   */
  constructor(
    batch: Batch,
    now: number,
    { lane, headers, rules }: Route,
    onMove: (from: LiveState, to: DeliveryState) => void,
  ) {
    this.#batch = batch;
    this.#onMove = onMove;
    this.ended = new Promise((resolve) => (this.#end = resolve));
    const body = batch.seal(now);
    log('flushing %d messages, %d bytes', batch.messages.length, body.length);
    this.#delivery = new Delivery(
      { messageId: '', body, headers: [headers] },
      [lane],
      { ...rules, onAttempt: (result) => this.#tellAttempt(result, rules) },
      (state) => this.#move(state),
    );
  }

  start(): void {
    this.#delivery.start();
  }

  /** Gives up waiting; what is in flight may finish. */
  interrupt(): void {
    this.#delivery.interrupt();
  }

  #move(to: DeliveryState): void {
    const from = this.#state;
    if (to !== 'ended') this.#state = to;
    this.#onMove(from, to);
    if (to === 'waiting') this.#tellWait();
    else if (to === 'ended') this.#settle(this.#delivery.outcome());
  }

  #tellAttempt(result: AttemptResult, { onAttempt }: DeliveryRules): void {
    if (log.enabled) logAttempt(result, this.#batch.messages.length);
    for (const { messageId } of this.#batch.messages) onAttempt(result, messageId);
  }

  #tellWait(): void {
    if (this.#hasWaited) return;
    this.#hasWaited = true;
    for (const message of this.#batch.messages) message.onWait?.();
  }

  #settle(outcome: Outcome): void {
    for (const message of this.#batch.messages) {
      message.settle({ ...outcome, messageId: message.messageId });
    }
    this.#end();
  }
}

function logAttempt(result: AttemptResult, messages: number): void {
  const answer = result.status === null ? codeOfResult(result) : `answered ${result.status}`;
  const durationMs = Math.round(result.durationMs);
  log('%s after %d ms, try %d of %d messages', answer, durationMs, result.attempt, messages);
}
