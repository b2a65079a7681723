import type { Clock } from '../clock.js';
import { codeOfResult, describeResult } from '../deliver/describe.js';
import type { Lane } from '../deliver/lane.js';
import type { AttemptResult, Outcome } from '../deliver/outcome.js';
import { nextAttemptAt, type RetryPolicy } from '../deliver/schedule.js';

/** What all deliveries of a destination have in common. */
export interface DeliveryRules {
  readonly clock: Clock;
  readonly retries: RetryPolicy;
  /** Every URL must take the event; else one is enough. */
  readonly allUrls: boolean;
  /** Told about every attempt, as it ends. */
  readonly onAttempt: (result: AttemptResult, messageId: string) => void;
}

/** What is posted, the same bytes at every try. */
export interface Parcel {
  readonly messageId: string;
  readonly body: Buffer;
  /** For each URL: name, value, name, value, … */
  readonly headers: readonly (readonly string[])[];
}

/** `active` while a request is in flight or has its turn, `waiting` while only retries are due. */
export type DeliveryState = 'active' | 'waiting' | 'ended';

type Phase = 'active' | 'waiting' | 'delivered' | 'failed';

/** One URL's part in the delivery of one event. */
interface Leg {
  readonly lane: Lane;
  readonly headers: readonly string[];
  phase: Phase;
  attempts: number;
  /** When the first try began; milliseconds since 1970. */
  firstAt: number;
  last?: AttemptResult;
  cancelRetry?: () => void;
}

/** The way of one event to all its URLs, until its fate is known and nothing is in flight. */
export class Delivery {
  readonly #parcel: Parcel;
  readonly #legs: Leg[];
  readonly #rules: DeliveryRules;
  readonly #onState: (state: DeliveryState) => void;
  #state: DeliveryState = 'active';
  readonly #attempts: AttemptResult[] = [];
  #interrupted = false;

  /** `onState` is called when it begins to wait, goes on, or ends; the last is `ended`, once. */
  constructor(
    parcel: Parcel,
    lanes: readonly Lane[],
    rules: DeliveryRules,
    onState: (state: DeliveryState) => void,
  ) {
    this.#parcel = parcel;
    this.#rules = rules;
    this.#onState = onState;
    this.#legs = lanes.map((lane, i) => ({
      lane,
      headers: parcel.headers[i]!,
      phase: 'active',
      attempts: 0,
      firstAt: 0,
    }));
  }

  start(): void {
    for (const leg of this.#legs) this.#post(leg);
  }

  /** Gives up waiting; what is in flight may finish. */
  interrupt(): void {
    this.#interrupted = true;
    this.#stopRetries();
    this.#update();
  }

  /** How it ended; to be read when the state is `ended`. */
  outcome(): Outcome {
    const { messageId } = this.#parcel;
    const attempts = this.#attempts;
    if (this.#isDelivered()) return { verdict: 'delivered', messageId, attempts };
    const failed = this.#decisiveLeg();
    const verdict = this.#interrupted && failed.last?.verdict !== 'failed' ? 'pending' : 'failed';
    return { verdict, messageId, attempts, ...explain(failed, verdict) };
  }

  #post(leg: Leg): void {
    leg.lane.post({
      body: this.#parcel.body,
      headers: leg.headers,
      attempt: leg.attempts + 1,
      wanted: () => this.#isWanted(leg),
      done: (result) => this.#settle(leg, result),
    });
  }

  /** Asked when the request's turn has come, which a pause of the URL may have put off. */
  #isWanted(leg: Leg): boolean {
    const isRetry = leg.attempts > 0;
    const late = isRetry && this.#rules.clock.now() > leg.firstAt + this.#rules.retries.windowMs;
    if (!late && !(isRetry && this.#isSettled()) && !this.#interrupted) return true;
    leg.phase = 'failed';
    this.#update();
    return false;
  }

  #settle(leg: Leg, result: AttemptResult): void {
    const now = this.#rules.clock.now();
    if (leg.attempts++ === 0) leg.firstAt = now - result.durationMs;
    leg.last = result;
    this.#attempts.push(result);
    this.#rules.onAttempt(result, this.#parcel.messageId);
    leg.phase = result.verdict === 'delivered' ? 'delivered' : 'failed';
    if (result.verdict === 'retry' && !this.#interrupted && !this.#isSettled()) {
      this.#retryLater(leg, result, now);
    }
    if (this.#isSettled()) this.#stopRetries();
    this.#update();
  }

  #retryLater(leg: Leg, result: AttemptResult, now: number): void {
    const { clock, retries } = this.#rules;
    const { attempts, firstAt } = leg;
    const { retryAfterMs } = result;
    const at = nextAttemptAt(retries, { attempts, firstAt, now, retryAfterMs });
    if (at === undefined) return;
    leg.phase = 'waiting';
    leg.cancelRetry = clock.after(at - now, () => {
      leg.phase = 'active';
      this.#update();
      this.#post(leg);
    });
  }

  #stopRetries(): void {
    for (const leg of this.#legs) {
      if (leg.phase !== 'waiting') continue;
      leg.cancelRetry?.();
      leg.phase = 'failed';
    }
  }

  #update(): void {
    const phases = this.#legs.map((leg) => leg.phase);
    const state = phases.includes('active')
      ? 'active'
      : phases.includes('waiting')
        ? 'waiting'
        : 'ended';
    if (state === this.#state) return;
    this.#state = state;
    this.#onState(state);
  }

  /** Whether no retry can change the event's fate any more. */
  #isSettled(): boolean {
    return !this.#rules.allUrls && this.#legs.some((leg) => leg.phase === 'delivered');
  }

  #isDelivered(): boolean {
    const taken = (leg: Leg): boolean => leg.phase === 'delivered';
    return this.#rules.allUrls ? this.#legs.every(taken) : this.#legs.some(taken);
  }

  /** The leg whose failure is told: one that could still be mended tells more than a final one. */
  #decisiveLeg(): Leg {
    const failed = this.#legs.filter((leg) => leg.phase !== 'delivered');
    return failed.find((leg) => leg.last?.verdict === 'retry') ?? failed[0]!;
  }
}

function explain(leg: Leg, verdict: 'failed' | 'pending'): { code: string; message: string } {
  if (!leg.last) {
    return { code: 'interrupted', message: `${leg.lane.url}: interrupted before it was sent` };
  }
  const tries = leg.attempts === 1 ? '1 try' : `${leg.attempts} tries`;
  const suffix = verdict === 'pending' ? ', then interrupted' : '';
  return {
    code: codeOfResult(leg.last),
    message: `${leg.lane.url}: ${describeResult(leg.last)} (${tries}${suffix})`,
  };
}
