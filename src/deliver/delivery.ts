import type { Clock } from '../clock.js';
import { explainFailure } from './describe.js';
import type { Lane } from './lane.js';
import type { AttemptResult, LegState, Outcome, RetryState } from './outcome.js';
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
export interface Parcel {
  readonly messageId: string;
  readonly body: Buffer;
  /** For each URL: name, value, name, value, … */
  readonly headers: readonly (readonly string[])[];
}

/** `active` while a request is in flight or has its turn, `waiting` while only retries are due. */
export type DeliveryState = 'active' | 'waiting' | 'ended';

/**
 * `queued` in the lane for its turn, `active` in flight, `waiting` for a retry to come due,
 * `postponed` to be handed back.
 */
type Phase = 'queued' | 'active' | 'waiting' | 'postponed' | 'delivered' | 'failed';

/** One URL's part in the delivery of one event. */
interface Leg {
  readonly lane: Lane;
  readonly headers: readonly string[];
  phase: Phase;
  attempts: number;
  /** When the first try began; milliseconds since 1970. */
  firstAt: number;
  /** When it is due again; milliseconds since 1970. */
  dueAt?: number;
  last?: Pick<AttemptResult, 'status' | 'error' | 'verdict'>;
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
    before?: readonly LegState[],
  ) {
    this.#parcel = parcel;
    this.#rules = rules;
    this.#onState = onState;
    this.#legs = lanes.map((lane, i) => ({
      lane,
      headers: parcel.headers[i]!,
      ...restore(before?.[i], lane.gone, rules.clock.now()),
    }));
  }

  /** Posts to every URL that is due. */
  start(): void {
    for (const leg of this.#legs) if (leg.phase === 'queued') this.#post(leg);
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

  /** How it ended; to be read when the state is `ended`. */
  outcome(): Outcome {
    const { messageId } = this.#parcel;
    const attempts = this.#attempts;
    if (this.#isDelivered()) return { verdict: 'delivered', messageId, attempts };
    const failed = this.#decisiveLeg();
    const retry = this.#retryState();
    const isOpen = retry ?? (this.#interrupted && this.#mightBeMended(failed));
    return {
      verdict: isOpen ? 'pending' : 'failed',
      messageId,
      attempts,
      tries: this.#legs.reduce((sum, leg) => sum + leg.attempts, 0),
      ...explain(failed),
      ...(retry && { retry }),
    };
  }

  /** Whether a leg that was interrupted has not had its last try; what is handed back says so itself. */
  #mightBeMended({ last }: Leg): boolean {
    return this.#rules.handsBack ? last === undefined : last?.verdict !== 'failed';
  }

  /** When it is to go on, and from where; undefined when it is at its end, or has not begun. */
  #retryState(): RetryState | undefined {
    const due = this.#legs.flatMap((leg) => (leg.phase === 'postponed' ? [leg.dueAt!] : []));
    if (due.length === 0 || this.#legs.every((leg) => leg.attempts === 0)) return undefined;
    return { dueAt: Math.min(...due), legs: this.#legs.map(stateOf) };
  }

  #postAgain(leg: Leg): void {
    leg.phase = 'queued';
    this.#update();
    this.#post(leg);
  }

  #post(leg: Leg): void {
    leg.lane.post({
      body: this.#parcel.body,
      headers: leg.headers,
      attempt: leg.attempts + 1,
      wanted: () => this.#begin(leg),
      done: (result) => this.#settle(leg, result),
    });
  }

  /** Asked when the request's turn has come, which a pause of the URL may have put off. */
  #begin(leg: Leg): boolean {
    if (leg.phase !== 'queued') return false;
    const isLate = this.#rules.clock.now() > leg.firstAt + this.#rules.retries.windowMs;
    leg.phase = leg.attempts > 0 && isLate ? 'failed' : 'active';
    if (leg.phase === 'active') return true;
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
    if (result.verdict === 'retry' && this.#mayRetry()) this.#retryLater(leg, result, now);
    if (this.#isSettled()) this.#stopRetries();
    this.#update();
  }

  #mayRetry(): boolean {
    return !this.#isSettled() && (!this.#interrupted || this.#rules.handsBack);
  }

  #retryLater(leg: Leg, result: AttemptResult, now: number): void {
    const { clock, retries, handsBack } = this.#rules;
    const { attempts, firstAt } = leg;
    const { retryAfterMs } = result;
    const at = nextAttemptAt(retries, { attempts, firstAt, now, retryAfterMs });
    if (at === undefined) return;
    leg.dueAt = at;
    leg.phase = handsBack ? 'postponed' : 'waiting';
    if (handsBack) return;
    leg.cancelRetry = clock.after(at - now, () => this.#postAgain(leg));
  }

  #stopRetries(): void {
    for (const leg of this.#legs) if (leg.attempts > 0) this.#giveUp(leg);
  }

  /** Unless it is in flight or has ended. What is queued is dropped when its turn comes. */
  #giveUp(leg: Leg): void {
    if (leg.phase === 'active' || leg.phase === 'delivered') return;
    leg.cancelRetry?.();
    const goesOn = this.#rules.handsBack && leg.phase !== 'failed' && !this.#isSettled();
    leg.dueAt ??= this.#rules.clock.now();
    leg.phase = goesOn ? 'postponed' : 'failed';
  }

  #update(): void {
    const phases = this.#legs.map((leg) => leg.phase);
    const isActive = phases.includes('active') || phases.includes('queued');
    const state = isActive ? 'active' : phases.includes('waiting') ? 'waiting' : 'ended';
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
    const open = failed.find((leg) => leg.last?.verdict === 'retry');
    return open ?? failed.find((leg) => !leg.last) ?? failed[0]!;
  }
}

/** A leg as it was handed back; a URL that is gone is asked at once, for its answer is known. */
function restore(
  before: LegState | undefined,
  isGone: boolean,
  now: number,
): Pick<Leg, 'phase' | 'attempts' | 'firstAt' | 'dueAt' | 'last'> {
  if (!before) return { phase: 'queued', attempts: 0, firstAt: 0 };
  const { attempts, firstAt, dueAt, status, error, isDelivered } = before;
  const leg = { attempts, firstAt, ...(dueAt !== undefined && { dueAt }) };
  if (attempts === 0) return { ...leg, phase: 'queued' };
  if (isDelivered) return { ...leg, phase: 'delivered' };
  const last = { status, error };
  if (dueAt === undefined) return { ...leg, phase: 'failed', last: { ...last, verdict: 'failed' } };
  const phase = dueAt <= now || isGone ? 'queued' : 'postponed';
  return { ...leg, phase, last: { ...last, verdict: 'retry' } };
}

function stateOf(leg: Leg): LegState {
  const { attempts, firstAt, last, phase, dueAt } = leg;
  return {
    attempts,
    firstAt,
    status: last?.status ?? null,
    error: last?.error ?? null,
    ...(phase === 'postponed' && dueAt !== undefined && { dueAt }),
    ...(phase === 'delivered' && { isDelivered: true }),
  };
}

function explain({ lane, last, attempts }: Leg): { code: string; message: string } {
  if (last) return explainFailure(lane.url, { status: last.status, error: last.error, attempts });
  return { code: 'interrupted', message: `${lane.url}: interrupted before it was sent` };
}
