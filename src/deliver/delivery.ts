import type { Clock } from '../clock.js';
import { EndpointDelivery, type DeliveryOwner } from './delivery-leg.js';
import type { EndpointQueue } from './lane.js';
import type { Linked } from './linked-list.js';
import type { AttemptResult, EndpointDeliveryState, Outcome, RetryState } from './outcome.js';
import { nextAttemptAt, type RetryPolicy } from './schedule.js';

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
  readonly #legs: EndpointDelivery[] = [];
  readonly #rules: DeliveryRules;
  readonly #onState: (state: DeliveryState) => void;
  readonly #attempts: AttemptResult[] = [];
  #body: Buffer;
  #state: DeliveryState = 'active';
  #interrupted = false;

  /** `onState` is called when it begins to wait, goes on, is taken, or ends; the last is `ended`, once. */
  constructor(
    parcel: OutboundRequest,
    lanes: readonly EndpointQueue[],
    rules: DeliveryRules,
    onState: (state: DeliveryState) => void,
    before?: readonly EndpointDeliveryState[],
  ) {
    this.signature = parcel.signature;
    this.#messageId = parcel.messageId;
    this.#body = parcel.body;
    this.#rules = rules;
    this.#onState = onState;
    for (let i = 0; i < lanes.length; i++) {
      const leg = new EndpointDelivery(this, lanes[i]!, parcel.headers[i]!);
      if (before?.[i]) leg.restore(before[i]!, rules.clock.now());
      this.#legs.push(leg);
    }
  }

  get body(): Buffer {
    return this.#body;
  }

  /** Posts to every URL that is due. */
  start(): void {
    for (const leg of this.#legs) if (leg.phase === 'queued') leg.lane.post(leg);
    this.#update();
  }

  /** Gives up waiting; what is in flight may finish. */
  interrupt(): void {
    this.#interrupted = true;
    for (const leg of this.#legs) this.#giveUp(leg);
    this.#update();
  }

  /** Brings forward the retries at URLs that are gone, which ends them. */
  retryGone(): void {
    for (const leg of this.#legs) {
      if (leg.phase !== 'waiting' || !leg.lane.gone) continue;
      leg.cancelRetry?.();
      this.#postAgain(leg);
    }
  }

  /** Asked when the turn of one of its requests has come, which a pause of the URL may have put off. */
  begin(leg: EndpointDelivery): boolean {
    if (leg.phase !== 'queued') return false;
    if (leg.attempts === 0 || !this.#isLate(leg)) {
      leg.phase = 'active';
      return true;
    }
    leg.phase = 'failed';
    this.#update();
    return false;
  }

  /** Called with what one of its requests has come to. */
  settle(leg: EndpointDelivery, result: AttemptResult): void {
    const now = this.#rules.clock.now();
    this.#note(leg, result, now);
    leg.phase = result.verdict === 'delivered' ? 'delivered' : 'failed';
    if (result.verdict === 'retry' && this.#mayRetry()) this.#retryLater(leg, result, now);
    if (this.#isSettled()) this.#leaveBehind();
    this.#update();
  }

  /** How it ended; to be read when the state is `taken` or `ended`. */
  outcome(): Outcome {
    const messageId = this.#messageId;
    const attempts = this.#attempts;
    if (this.#isDelivered()) return { verdict: 'delivered', messageId, attempts };
    const failed = this.#decisiveLeg();
    const retry = this.#retryState();
    const isOpen = retry ?? (this.#interrupted && this.#mightBeMended(failed));
    return {
      verdict: isOpen ? 'pending' : 'failed',
      messageId,
      attempts,
      attemptCount: this.#legs.reduce((sum, leg) => sum + leg.attempts, 0),
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
    const due = this.#legs.flatMap((leg) => (leg.phase === 'postponed' ? [leg.dueAt!] : []));
    if (due.length === 0 || this.#legs.every((leg) => leg.attempts === 0)) return undefined;
    return { dueAt: Math.min(...due), endpointStates: this.#legs.map((leg) => leg.state()) };
  }

  #note(leg: EndpointDelivery, result: AttemptResult, now: number): void {
    if (leg.attempts++ === 0) leg.firstAt = now - result.durationMs;
    leg.last = result;
    this.#attempts.push(result);
    this.#rules.onAttempt(result, this.#messageId);
  }

  #postAgain(leg: EndpointDelivery): void {
    leg.phase = 'queued';
    this.#update();
    leg.lane.post(leg);
  }

  #isLate({ firstAt }: EndpointDelivery): boolean {
    return this.#rules.clock.now() > firstAt + this.#rules.retries.windowMs;
  }

  #mayRetry(): boolean {
    return !this.#isSettled() && (!this.#interrupted || this.#rules.handsBack);
  }

  #retryLater(leg: EndpointDelivery, result: AttemptResult, now: number): void {
    const { clock, retries, handsBack } = this.#rules;
    const { attempts, firstAt } = leg;
    const { retryAfterMs } = result;
    const at = nextAttemptAt(retries, { attempts, firstAt, now, retryAfterMs });
    if (at === undefined) return;
    leg.dueAt = at;
    leg.phase = handsBack ? 'postponed' : 'waiting';
    if (handsBack) return;
    this.#body = ownCopy(this.#body);
    leg.cancelRetry = clock.after(at - now, () => this.#postAgain(leg));
  }

  /** Ends retries, and first tries at URLs that are too far behind; the other URLs still get it. */
  #leaveBehind(): void {
    for (const leg of this.#legs) {
      if (leg.attempts > 0) this.#giveUp(leg);
      else if (leg.phase === 'queued') this.#overtake(leg);
    }
  }

  #overtake(leg: EndpointDelivery): void {
    const result = leg.lane.overtake(leg);
    if (!result) return;
    this.#note(leg, result, this.#rules.clock.now());
    leg.phase = 'failed';
  }

  /** Unless it is in flight or has ended. What is queued is dropped when its turn comes. */
  #giveUp(leg: EndpointDelivery): void {
    if (leg.phase === 'active' || leg.phase === 'delivered') return;
    leg.cancelRetry?.();
    const goesOn = this.#rules.handsBack && leg.phase !== 'failed' && !this.#isSettled();
    const now = this.#rules.clock.now();
    const dueAt = leg.dueAt ?? now;
    // A leg that was queued is due now, even if the clock was set back since.
    leg.dueAt = leg.phase === 'queued' ? Math.min(dueAt, now) : dueAt;
    leg.phase = goesOn ? 'postponed' : 'failed';
  }

  #update(): void {
    const state = this.#stateOfLegs();
    if (state === this.#state) return;
    this.#state = state;
    this.#onState(state);
  }

  #stateOfLegs(): DeliveryState {
    let state: DeliveryState = 'ended';
    for (const { phase } of this.#legs) {
      if (phase === 'active' || phase === 'queued') return this.#isSettled() ? 'taken' : 'active';
      if (phase === 'waiting') state = 'waiting';
    }
    return state;
  }

  /** Whether no retry can change the event's fate any more. */
  #isSettled(): boolean {
    return !this.#rules.allUrls && this.#legs.some(isTaken);
  }

  #isDelivered(): boolean {
    return this.#rules.allUrls ? this.#legs.every(isTaken) : this.#legs.some(isTaken);
  }

  /** The leg whose failure is told: one that could still be mended tells more than a final one. */
  #decisiveLeg(): EndpointDelivery {
    const failed = this.#legs.filter((leg) => leg.phase !== 'delivered');
    const open = failed.find((leg) => leg.last?.verdict === 'retry');
    return open ?? failed.find((leg) => !leg.last) ?? failed[0]!;
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
