import type { Clock } from '../clock.js';
import { EndpointDelivery, type DeliveryOwner } from './endpoint-delivery.js';
import type { EndpointQueue } from './endpoint-queue.js';
import type { Linked } from '../collections/linked-list.js';
import type { AttemptResult, EndpointDeliveryState, Outcome, RetryState } from './outcome.js';
import { nextAttemptAt, type RetryPolicy } from './retry-schedule.js';

/** What all deliveries of a destination have in common. */
export interface DeliveryRules {
  readonly clock: Clock;
  readonly retries: RetryPolicy;
  /** Every URL must take the event; else one is enough. */
  readonly allUrls: boolean;
  /** Hands an event back when it is to be tried again, instead of waiting with it in memory. */
  readonly handsBack: boolean;
  /** Told about every attempt, as it ends. */
  readonly onAttempt: (result: AttemptResult, messageId: string) => void;
}

/** What is posted, the same bytes at every try. */
export interface OutboundRequest {
  readonly messageId: string;
  readonly body: Buffer;
  /** For each URL: name, value, name, value, …; best the same arrays for all parcels. */
  readonly headers: readonly (readonly string[])[];
  /** Of the body, in lowercase hex; without one the request is not signed. */
  readonly signature?: string | undefined;
}

/**
 * `active` while a request is in flight or has its turn, `waiting` while only retries are due, `taken`
 * when one URL has the event, which is enough, and others are still to get it.
 */
export type DeliveryState = 'active' | 'waiting' | 'taken' | 'ended';

/** The way of one event to all its URLs, until its fate is known and nothing is in flight. */
export class Delivery implements DeliveryOwner, Linked<Delivery> {
  previous: Delivery | undefined = undefined;
  next: Delivery | undefined = undefined;
  readonly signature: string | undefined;
  readonly #messageId: string;
  readonly #endpointDeliveries: EndpointDelivery[] = [];
  readonly #rules: DeliveryRules;
  readonly #onState: (state: DeliveryState) => void;
  readonly #attempts: AttemptResult[] = [];
  #body: Buffer;
  #state: DeliveryState = 'active';
  #interrupted = false;

  /** `onState` is called when it begins to wait, goes on, is taken, or ends; the last is `ended`, once. */
  constructor(
    outbound: OutboundRequest,
    queues: readonly EndpointQueue[],
    rules: DeliveryRules,
    onState: (state: DeliveryState) => void,
    before?: readonly EndpointDeliveryState[],
  ) {
    this.signature = outbound.signature;
    this.#messageId = outbound.messageId;
    this.#body = outbound.body;
    this.#rules = rules;
    this.#onState = onState;
    for (let i = 0; i < queues.length; i++) {
      const endpointDelivery = new EndpointDelivery(this, queues[i]!, outbound.headers[i]!);
      if (before?.[i]) endpointDelivery.restore(before[i]!, rules.clock.now());
      this.#endpointDeliveries.push(endpointDelivery);
    }
  }

  get body(): Buffer {
    return this.#body;
  }

  /** Posts to every URL that is due. */
  start(): void {
    for (const endpointDelivery of this.#endpointDeliveries)
      if (endpointDelivery.phase === 'queued') endpointDelivery.queue.post(endpointDelivery);
    this.#update();
  }

  /** Gives up waiting; what is in flight may finish. */
  interrupt(): void {
    this.#interrupted = true;
    for (const endpointDelivery of this.#endpointDeliveries) this.#giveUp(endpointDelivery);
    this.#update();
  }

  /** Brings forward the retries at URLs that are gone, which ends them. */
  retryGone(): void {
    for (const endpointDelivery of this.#endpointDeliveries) {
      if (endpointDelivery.phase !== 'waiting' || !endpointDelivery.queue.gone) continue;
      endpointDelivery.cancelRetry?.();
      this.#resend(endpointDelivery);
    }
  }

  /** Asked when the turn of one of its requests has come, which a pause of the URL may have put off. */
  begin(endpointDelivery: EndpointDelivery): boolean {
    if (endpointDelivery.phase !== 'queued') return false;
    if (endpointDelivery.attempts === 0 || !this.#isLate(endpointDelivery)) {
      endpointDelivery.phase = 'active';
      return true;
    }
    endpointDelivery.phase = 'failed';
    this.#update();
    return false;
  }

  /** Called with what one of its requests has come to. */
  settle(endpointDelivery: EndpointDelivery, result: AttemptResult): void {
    const now = this.#rules.clock.now();
    this.#note(endpointDelivery, result, now);
    endpointDelivery.phase = result.verdict === 'delivered' ? 'delivered' : 'failed';
    if (result.verdict === 'retry' && this.#mayRetry())
      this.#retryLater(endpointDelivery, result, now);
    if (this.#isSettled()) this.#leaveBehind();
    this.#update();
  }

  /** How it ended; to be read when the state is `taken` or `ended`. */
  outcome(): Outcome {
    const messageId = this.#messageId;
    const attempts = this.#attempts;
    if (this.#isDelivered()) return { verdict: 'delivered', messageId, attempts };
    const failed = this.#decisiveDelivery();
    const retry = this.#retryState();
    const isOpen = retry ?? (this.#interrupted && this.#mightBeMended(failed));
    return {
      verdict: isOpen ? 'pending' : 'failed',
      messageId,
      attempts,
      attemptCount: this.#endpointDeliveries.reduce(
        (sum, endpointDelivery) => sum + endpointDelivery.attempts,
        0,
      ),
      ...failed.explain(),
      ...(retry && { retry }),
    };
  }

  /** Whether a leg that was interrupted has not had its last try; what is handed back says so itself. */
  #mightBeMended({ last }: EndpointDelivery): boolean {
    return this.#rules.handsBack ? last === undefined : last?.verdict !== 'failed';
  }

  /** When it is to go on, and from where; undefined when it is at its end, or has not begun. */
  #retryState(): RetryState | undefined {
    const due = this.#endpointDeliveries.flatMap((endpointDelivery) =>
      endpointDelivery.phase === 'postponed' ? [endpointDelivery.dueAt!] : [],
    );
    if (
      due.length === 0 ||
      this.#endpointDeliveries.every((endpointDelivery) => endpointDelivery.attempts === 0)
    )
      return undefined;
    return {
      dueAt: Math.min(...due),
      endpointStates: this.#endpointDeliveries.map((endpointDelivery) => endpointDelivery.state()),
    };
  }

  #note(endpointDelivery: EndpointDelivery, result: AttemptResult, now: number): void {
    if (endpointDelivery.attempts++ === 0) endpointDelivery.firstAt = now - result.durationMs;
    endpointDelivery.last = result;
    this.#attempts.push(result);
    this.#rules.onAttempt(result, this.#messageId);
  }

  #resend(endpointDelivery: EndpointDelivery): void {
    endpointDelivery.phase = 'queued';
    this.#update();
    endpointDelivery.queue.post(endpointDelivery);
  }

  #isLate({ firstAt }: EndpointDelivery): boolean {
    return this.#rules.clock.now() > firstAt + this.#rules.retries.windowMs;
  }

  #mayRetry(): boolean {
    return !this.#isSettled() && (!this.#interrupted || this.#rules.handsBack);
  }

  #retryLater(endpointDelivery: EndpointDelivery, result: AttemptResult, now: number): void {
    const { clock, retries, handsBack } = this.#rules;
    const { attempts, firstAt } = endpointDelivery;
    const { retryAfterMs } = result;
    const at = nextAttemptAt(retries, { attempts, firstAt, now, retryAfterMs });
    if (at === undefined) return;
    endpointDelivery.dueAt = at;
    endpointDelivery.phase = handsBack ? 'postponed' : 'waiting';
    if (handsBack) return;
    this.#body = ownCopy(this.#body);
    endpointDelivery.cancelRetry = clock.after(at - now, () => this.#resend(endpointDelivery));
  }

  /** Ends retries, and first tries at URLs that are too far behind; the other URLs still get it. */
  #leaveBehind(): void {
    for (const endpointDelivery of this.#endpointDeliveries) {
      if (endpointDelivery.attempts > 0) this.#giveUp(endpointDelivery);
      else if (endpointDelivery.phase === 'queued') this.#overtake(endpointDelivery);
    }
  }

  #overtake(endpointDelivery: EndpointDelivery): void {
    const result = endpointDelivery.queue.overtake(endpointDelivery);
    if (!result) return;
    this.#note(endpointDelivery, result, this.#rules.clock.now());
    endpointDelivery.phase = 'failed';
  }

  /** Unless it is in flight or has ended. What is queued is dropped when its turn comes. */
  #giveUp(endpointDelivery: EndpointDelivery): void {
    if (endpointDelivery.phase === 'active' || endpointDelivery.phase === 'delivered') return;
    endpointDelivery.cancelRetry?.();
    const continues =
      this.#rules.handsBack && endpointDelivery.phase !== 'failed' && !this.#isSettled();
    const now = this.#rules.clock.now();
    const dueAt = endpointDelivery.dueAt ?? now;
    // A leg that was queued is due now, even if the clock was set back since.
    endpointDelivery.dueAt = endpointDelivery.phase === 'queued' ? Math.min(dueAt, now) : dueAt;
    endpointDelivery.phase = continues ? 'postponed' : 'failed';
  }

  #update(): void {
    const state = this.#stateOfEndpoints();
    if (state === this.#state) return;
    this.#state = state;
    this.#onState(state);
  }

  #stateOfEndpoints(): DeliveryState {
    let state: DeliveryState = 'ended';
    for (const { phase } of this.#endpointDeliveries) {
      if (phase === 'active' || phase === 'queued') return this.#isSettled() ? 'taken' : 'active';
      if (phase === 'waiting') state = 'waiting';
    }
    return state;
  }

  /** Whether no retry can change the event's fate any more. */
  #isSettled(): boolean {
    return !this.#rules.allUrls && this.#endpointDeliveries.some(isTaken);
  }

  #isDelivered(): boolean {
    return this.#rules.allUrls
      ? this.#endpointDeliveries.every(isTaken)
      : this.#endpointDeliveries.some(isTaken);
  }

  /** The leg whose failure is told: one that could still be mended tells more than a final one. */
  #decisiveDelivery(): EndpointDelivery {
    const failed = this.#endpointDeliveries.filter(
      (endpointDelivery) => endpointDelivery.phase !== 'delivered',
    );
    const open = failed.find((endpointDelivery) => endpointDelivery.last?.verdict === 'retry');
    return open ?? failed.find((endpointDelivery) => !endpointDelivery.last) ?? failed[0]!;
  }
}

function isTaken({ phase }: EndpointDelivery): boolean {
  return phase === 'delivered';
}

/** What is kept for hours holds no larger block of memory than its own. */
function ownCopy(body: Buffer): Buffer {
  if (body.buffer.byteLength <= 2 * body.length) return body;
  const copy = Buffer.allocUnsafeSlow(body.length);
  copy.set(body);
  return copy;
}
