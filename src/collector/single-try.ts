import { explainFailure } from '../deliver/describe.js';
import { afterTry, isLate } from '../deliver/leg.js';
import type { LegState } from '../deliver/outcome.js';
import type { AttemptResult, Outcome } from '../deliver/outcome.js';
import type { DeliveryState } from '../deliver/delivery.js';
import type { Batch, Message } from './batch.js';
import type { Route } from './upload.js';

/**
 * One batch that is posted once. Each of its messages has a history of its own, and is handed back
 * where it is to be tried again: it may stand in another batch then.
 */
export class SingleTry {
  /** Resolves when every message is settled. */
  readonly ended: Promise<void>;
  readonly #batch: Batch;
  readonly #body: Buffer;
  readonly #route: Route;
  readonly #onMove: (from: 'active', to: DeliveryState) => void;
  #isInterrupted = false;
  #end!: () => void;

  /** `now` is in milliseconds since 1970; `onMove` is called once, before the messages are settled. */
  constructor(
    batch: Batch,
    now: number,
    route: Route,
    onMove: (from: 'active', to: DeliveryState) => void,
  ) {
    this.#batch = batch;
    this.#body = batch.seal(now);
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
      wanted: () => this.#isWanted(),
      done: (result) => this.#finish((message) => this.#outcome(message, result)),
    });
  }

  /** Drops it unless it is in flight. */
  interrupt(): void {
    this.#isInterrupted = true;
  }

  /** Asked when its turn has come, which a pause of the collector may have put off for hours. */
  #isWanted(): boolean {
    if (this.#isInterrupted) {
      this.#finish((message) => this.#unsent(message));
      return false;
    }
    if (!this.#batch.messages.some((message) => this.#isLate(message))) return true;
    this.#finish((message) => (this.#isLate(message) ? this.#late(message) : this.#again(message)));
    return false;
  }

  #isLate({ leg }: Message): boolean {
    const { retries, clock } = this.#route.rules;
    return leg !== undefined && isLate(leg, retries, clock.now());
  }

  #late({ messageId, leg }: Message): Outcome {
    const why = explainFailure(this.#route.lane.url, leg!);
    return { verdict: 'failed', messageId, attempts: [], tries: leg!.attempts, ...why };
  }

  /** The body holds messages that are too late, so the others go in another batch, at once. */
  #again({ messageId, leg }: Message): Outcome {
    const dueAt = this.#route.rules.clock.now();
    const legs = [{ ...(leg ?? notTried), dueAt }];
    return { verdict: 'pending', messageId, attempts: [], retry: { dueAt, legs } };
  }

  #finish(outcomeOf: (message: Message) => Outcome): void {
    this.#onMove('active', 'ended');
    for (const message of this.#batch.messages) message.settle(outcomeOf(message));
    this.#end();
  }

  #outcome({ messageId, leg }: Message, result: AttemptResult): Outcome {
    const { retries, clock, onAttempt } = this.#route.rules;
    const after = afterTry(leg, result, retries, clock.now());
    const attempt = { ...result, attempt: after.attempts };
    onAttempt(attempt, messageId);
    const outcome = { messageId, attempts: [attempt], tries: after.attempts };
    if (after.isDelivered) return { verdict: 'delivered', ...outcome };
    return { ...this.#undelivered(after), ...outcome };
  }

  #undelivered(leg: LegState): Pick<Outcome, 'verdict' | 'code' | 'message' | 'retry'> {
    const why = explainFailure(this.#route.lane.url, leg);
    if (leg.dueAt === undefined) return { verdict: 'failed', ...why };
    return { verdict: 'pending', ...why, retry: { dueAt: leg.dueAt, legs: [leg] } };
  }

  /** It goes on as it was: from the store, or from its line. */
  #unsent({ messageId }: Message): Outcome {
    const message = `${this.#route.lane.url}: interrupted before it was sent`;
    return { verdict: 'pending', messageId, attempts: [], code: 'interrupted', message };
  }
}

const notTried: LegState = { attempts: 0, firstAt: 0, status: null, error: null };
