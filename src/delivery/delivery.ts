import type { Clock } from '../clock.js';
import { EndpointDelivery, type DeliveryOwner } from './endpoint-delivery.js';
import type { EndpointQueue } from './endpoint-queue.js';
import { applyAttempt, isPastWindow } from './endpoint-state.js';
import type { Linked } from '../collections/linked-list.js';
import type { AttemptResult, EndpointDeliveryState, Outcome, RetryState } from './outcome.js';
import type { OwnRequest } from './own-request.js';
import { heldUntil, limitPause } from './held-until.js';
import type { RetryPolicy } from './retry-schedule.js';
import { isWanted, unwantedState } from './wanted.js';

/** What all deliveries of a destination have in common. */
export interface DeliveryRules {
  readonly clock: Clock;
  readonly retries: RetryPolicy;
  /** Whether every URL must accept the event; else one is enough. */
  readonly allUrls: boolean;
  /**
   * Whether an event that is to be retried, or whose remaining URLs are down or paused, is handed back instead
   * of waiting in memory.
   */
  readonly returnsRetries: boolean;
  /**
   * Whether an event that is only queued at its URLs counts as waiting, since other events go to other URLs, or these
   * take more at once. Default false: it is active, and holds up the next ones.
   */
  readonly queuesApart?: boolean | undefined;
  /** Called for every attempt when it has ended. */
  readonly onAttempt: (result: AttemptResult, messageId: string) => void;
}

/** How the requests of one event are signed where that depends on the attempt, or on the URL. */
export interface AttemptSignature {
  /** The header lines as of now, each with its CRLF; `index` is that of the URL. */
  headerLines(body: Buffer, index: number): string;
  /** The URL to send to in place of that with this index; undefined: that one. */
  sendsTo(body: Buffer, index: number): string | undefined;
}

/** One event, or a batch of events, as it is sent: the same body at every attempt. */
export interface OutboundRequest {
  readonly messageId: string;
  readonly body: Buffer;
  /** Makes the same body again, so that it need not be kept while responses are awaited. Default: it is kept. */
  readonly compose?: (() => Buffer) | undefined;
  /** Called each time that the body is dropped from memory. Default: nothing is called. */
  readonly onBodyReleased?: (() => void) | undefined;
  /** For each URL: name, value, name, value, …; pass the same arrays for all events, since they are encoded once. */
  readonly headers: readonly (readonly string[])[];
  /**
   * Header lines, each with its CRLF, if they are the same for all attempts at all URLs. Default: empty, the
   * request is not signed.
   */
  readonly signature?: string | AttemptSignature | undefined;
  /** For each URL, where the request is not a POST to it. */
  readonly own?: readonly OwnRequest[] | undefined;
  /** How many events it has. Default 1. */
  readonly events?: number | undefined;
  /** The URLs that it is sent to, a bit for each, at least one: the others have no part in it. Default: all. */
  readonly wanted?: number | undefined;
}

/**
 * `active`: a request is in flight or queued. `waiting`: only retries, and requests to URLs that are down or
 * paused, are left. `accepted`: one URL has the event, which is enough, but requests to others are not finished.
 */
export type DeliveryState = 'active' | 'waiting' | 'accepted' | 'ended';

/** Delivers one event, or batch of events, to all URLs that want it, until its final status is known and nothing is in flight. */
export class Delivery implements DeliveryOwner, Linked<Delivery> {
  previous: Delivery | undefined = undefined;
  next: Delivery | undefined = undefined;
  readonly events: number;
  readonly #signature: string | AttemptSignature;
  readonly #messageId: string;
  readonly #urls: number;
  readonly #wanted: number | undefined;
  /** Of the URLs that want the event. */
  readonly #endpointDeliveries: EndpointDelivery[] = [];
  readonly #rules: DeliveryRules;
  readonly #onState: (state: DeliveryState) => void;
  readonly #attempts: AttemptResult[] = [];
  readonly #compose: (() => Buffer) | undefined;
  readonly #onBodyReleased: (() => void) | undefined;
  #body: Buffer | undefined;
  #state: DeliveryState = 'active';
  #interrupted = false;

  /**
   * `onState` is called with each new state; the last one is `ended`, once. `before`: the state to continue
   * from at each URL, if the event was handed back.
   */
  constructor(
    outbound: OutboundRequest,
    queues: readonly EndpointQueue[],
    rules: DeliveryRules,
    onState: (state: DeliveryState) => void,
    before?: readonly EndpointDeliveryState[],
  ) {
    this.events = outbound.events ?? 1;
    this.#signature = outbound.signature ?? '';
    this.#messageId = outbound.messageId;
    this.#urls = queues.length;
    this.#wanted = outbound.wanted;
    this.#body = outbound.body;
    this.#compose = outbound.compose;
    this.#onBodyReleased = outbound.onBodyReleased;
    this.#rules = rules;
    this.#onState = onState;
    for (let i = 0; i < queues.length; i++) {
      if (!isWanted(outbound.wanted, i)) continue;
      const endpointDelivery = new EndpointDelivery(
        this,
        i,
        queues[i]!,
        outbound.headers[i]!,
        outbound.own?.[i],
      );
      if (before?.[i]) endpointDelivery.restore(before[i]!, rules.clock.now());
      this.#endpointDeliveries.push(endpointDelivery);
    }
  }

  get body(): Buffer {
    return (this.#body ??= this.#compose!());
  }

  releaseBody(): void {
    if (!this.#compose || this.#endpointDeliveries.some(isQueued)) return;
    this.#body = undefined;
    this.#onBodyReleased?.();
  }

  headerLines(index: number): string {
    const signature = this.#signature;
    return typeof signature === 'string' ? signature : signature.headerLines(this.body, index);
  }

  sendsTo(index: number): string | undefined {
    const signature = this.#signature;
    return typeof signature === 'string' ? undefined : signature.sendsTo(this.body, index);
  }

  /** Queues a request at every URL that is due, and at one that wants a probe. */
  start(): void {
    for (const endpointDelivery of this.#endpointDeliveries) {
      const { phase, queue } = endpointDelivery;
      if (phase === 'queued' && this.#rules.returnsRetries && queue.isHeld && !queue.wantsProbe)
        this.#hold(endpointDelivery);
      else if (phase === 'queued' || (phase === 'postponed' && queue.wantsProbe))
        this.#post(endpointDelivery);
    }
    this.#update();
  }

  /** Retries at a URL that wants a probe, while another URL still has the event. */
  probe(): void {
    this.#resume(({ attempts, queue }) => attempts > 0 && queue.wantsProbe);
  }

  /** The same where it was held back and not attempted: at a URL that is up again, or wants a probe. */
  resume(): void {
    this.#resume(({ attempts, queue }) => attempts === 0 && (!queue.isHeld || queue.wantsProbe));
  }

  #resume(isMeant: (endpointDelivery: EndpointDelivery) => boolean): void {
    if (this.#interrupted) return;
    for (const endpointDelivery of this.#endpointDeliveries)
      if (endpointDelivery.phase === 'postponed' && isMeant(endpointDelivery))
        this.#post(endpointDelivery);
    this.#update();
  }

  /** Called while a request is queued, when its URL is paused or down. */
  held(endpointDelivery: EndpointDelivery): void {
    if (endpointDelivery.phase !== 'queued') return;
    if (this.isSettled()) this.#withdraw(endpointDelivery);
    else if (!this.#rules.returnsRetries) this.#body = ownCopy(this.body);
    else {
      endpointDelivery.queue.withdraw(endpointDelivery);
      this.#hold(endpointDelivery);
    }
    this.#update();
  }

  /** Stops waiting for retries and tokens; requests in flight may finish. */
  interrupt(): void {
    this.#interrupted = true;
    for (const endpointDelivery of this.#endpointDeliveries) {
      const { phase, queue } = endpointDelivery;
      if (phase === 'active' && queue.withdrawUnsent(endpointDelivery))
        endpointDelivery.phase = 'queued';
      this.#giveUp(endpointDelivery);
    }
    this.#update();
  }

  /** Ends the retries at URLs that are gone, by making them due now. */
  retryGone(): void {
    for (const endpointDelivery of this.#endpointDeliveries) {
      if (endpointDelivery.phase !== 'waiting' || !endpointDelivery.queue.gone) continue;
      this.#resend(endpointDelivery);
    }
  }

  /** If a URL has accepted the event, ends first attempts that still wait in the queues of others. */
  dropBehind(): void {
    if (!this.isSettled()) return;
    for (const endpointDelivery of this.#endpointDeliveries)
      if (endpointDelivery.phase === 'queued') this.#withdraw(endpointDelivery, 0);
    this.#update();
  }

  /** Called before a request is sent, which a pause of the URL may have delayed past the retry window. */
  begin(endpointDelivery: EndpointDelivery): boolean {
    if (endpointDelivery.phase !== 'queued') return false;
    const { clock, retries } = this.#rules;
    const { queue, dueAt } = endpointDelivery;
    // The wait for a turn is not one for the URL: what was due within its window has its last attempt.
    const at = queue.isPaced ? Math.min(clock.now(), dueAt ?? Infinity) : clock.now();
    if (endpointDelivery.retriesAtOnce || !isPastWindow(endpointDelivery, retries, at)) {
      endpointDelivery.phase = 'active';
      if (this.#rules.queuesApart) this.#update();
      return true;
    }
    endpointDelivery.phase = 'failed';
    endpointDelivery.dueAt = undefined;
    this.#update();
    return false;
  }

  /** Whether no retry can change the final status anymore. */
  isSettled(): boolean {
    return !this.#rules.allUrls && this.#endpointDeliveries.some(isDelivered);
  }

  /** Called with the result of one of its requests. */
  settle(endpointDelivery: EndpointDelivery, result: AttemptResult): void {
    const now = this.#rules.clock.now();
    this.#note(endpointDelivery, result, now);
    endpointDelivery.phase = result.verdict === 'delivered' ? 'delivered' : 'failed';
    if (endpointDelivery.dueAt !== undefined)
      this.#retryLater(endpointDelivery, endpointDelivery.dueAt, now);
    if (this.isSettled()) this.#stopRest();
    this.#update();
  }

  /** How it ended; valid in the states `accepted` and `ended`. */
  outcome(): Outcome {
    const messageId = this.#messageId;
    const attempts = this.#attempts;
    const wanted = this.#wanted;
    if (this.#isDelivered()) {
      const attemptCount = this.#attemptCount();
      // A member less for nearly all.
      if (wanted === undefined && attemptCount === attempts.length)
        return { verdict: 'delivered', messageId, attempts };
      const delivered = { verdict: 'delivered', messageId, attempts, attemptCount } as const;
      return wanted === undefined ? delivered : { ...delivered, wanted };
    }
    const failed = this.#decisiveDelivery();
    const retry = this.#retryState();
    const isOpen = retry ?? (this.#interrupted && this.#couldSucceed(failed));
    return {
      verdict: isOpen ? 'pending' : 'failed',
      messageId,
      attempts,
      attemptCount: this.#attemptCount(),
      ...failed.explain(this.#interrupted),
      ...(retry && { retry }),
      ...(wanted !== undefined && { wanted }),
    };
  }

  /** Those of earlier runs included. */
  #attemptCount(): number {
    let sum = 0;
    for (const { attempts } of this.#endpointDeliveries) sum += attempts;
    return sum;
  }

  /** Whether an interrupted event could still be delivered; when retries are handed back, `retry` shows it. */
  #couldSucceed({ verdict }: EndpointDelivery): boolean {
    return this.#rules.returnsRetries ? verdict === undefined : verdict !== 'failed';
  }

  /** When and from which states to continue; undefined if it has ended, or has not begun. */
  #retryState(): RetryState | undefined {
    const due = this.#endpointDeliveries.flatMap((endpointDelivery) =>
      endpointDelivery.phase === 'postponed' ? [endpointDelivery.dueAt!] : [],
    );
    if (due.length === 0 || (this.#interrupted && this.#isUntried())) return undefined;
    return {
      dueAt: Math.min(...due),
      endpointDeliveries: this.states(),
    };
  }

  /** One for each URL, in their order, so that each is found at its place again. */
  states(): EndpointDeliveryState[] {
    const states = Array.from({ length: this.#urls }, () => unwantedState);
    for (const one of this.#endpointDeliveries) states[one.index] = one.state();
    return states;
  }

  #isUntried(): boolean {
    return this.#endpointDeliveries.every(({ attempts }) => attempts === 0);
  }

  #note(endpointDelivery: EndpointDelivery, result: AttemptResult, now: number): void {
    const policy = result.verdict === 'retry' && this.#mayRetry() ? this.#rules.retries : undefined;
    applyAttempt(endpointDelivery, result, policy, now);
    endpointDelivery.retriesAtOnce = result.retriesAtOnce === true;
    this.#attempts.push(result);
    this.#rules.onAttempt(result, this.#messageId);
  }

  #resend(endpointDelivery: EndpointDelivery): void {
    const { clock, retries } = this.#rules;
    limitPause(endpointDelivery.queue, endpointDelivery, retries, clock.now());
    endpointDelivery.cancelWait();
    endpointDelivery.phase = 'queued';
    this.#update();
    endpointDelivery.queue.post(endpointDelivery);
  }

  #post(endpointDelivery: EndpointDelivery): void {
    endpointDelivery.cancelWait();
    endpointDelivery.phase = 'queued';
    endpointDelivery.queue.post(endpointDelivery);
  }

  /** Postpones what is due, since its URL is paused or down. */
  #hold(endpointDelivery: EndpointDelivery): void {
    const now = this.#rules.clock.now();
    const { retries } = this.#rules;
    if (isPastWindow(endpointDelivery, retries, now)) {
      endpointDelivery.phase = 'failed';
      endpointDelivery.dueAt = undefined;
      return;
    }
    endpointDelivery.phase = 'postponed';
    const until = heldUntil(endpointDelivery.queue, endpointDelivery, retries, now);
    const probeAt =
      endpointDelivery.attempts > 0 ? this.#nextProbe(endpointDelivery, false) : until;
    endpointDelivery.dueAt = Math.min(until, Math.max(probeAt, now + lookAgainMs));
  }

  /**
   * When it is to be the next probe of its URL; Infinity: it need not be. Where URLs want different events, whoever
   * looks for a probe does not know which event goes to the URL that wants one. So one event of each comes by itself.
   */
  #nextProbe({ queue }: EndpointDelivery, hasProbed: boolean): number {
    if (this.#wanted === undefined) return Infinity;
    return queue.nextProbe(this.#messageId, hasProbed) ?? Infinity;
  }

  /** While another URL still has the event, it is not handed back, so what is postponed is sent when it is due. */
  #schedulePostponed(state: DeliveryState): void {
    for (const endpointDelivery of this.#endpointDeliveries) {
      if (state === 'ended') endpointDelivery.cancelWait();
      else if (endpointDelivery.phase === 'postponed' && !this.#interrupted) {
        const send = (): void => this.#sendPostponed(endpointDelivery);
        endpointDelivery.waitUntilDue(this.#rules.clock, send, lookAgainMs);
      }
    }
  }

  #sendPostponed(endpointDelivery: EndpointDelivery): void {
    if (endpointDelivery.phase !== 'postponed') return;
    const { queue } = endpointDelivery;
    if (!queue.isHeld || queue.wantsProbe) {
      this.#resend(endpointDelivery);
      return;
    }
    this.#hold(endpointDelivery);
    this.#update();
  }

  #mayRetry(): boolean {
    return !this.isSettled() && (!this.#interrupted || this.#rules.returnsRetries);
  }

  #retryLater(endpointDelivery: EndpointDelivery, scheduledAt: number, now: number): void {
    const { clock, returnsRetries, retries } = this.#rules;
    const { queue } = endpointDelivery;
    // Probes are attempts beside the schedule, so an event that served for many waits no longer than others.
    const dueAt = queue.isHeld
      ? Math.min(
          scheduledAt,
          heldUntil(queue, endpointDelivery, retries, now),
          this.#nextProbe(endpointDelivery, true),
        )
      : scheduledAt;
    endpointDelivery.dueAt = dueAt;
    endpointDelivery.phase = returnsRetries ? 'postponed' : 'waiting';
    if (returnsRetries) return;
    this.#body = ownCopy(this.body);
    endpointDelivery.waitUntilDue(clock, () => this.#resend(endpointDelivery));
  }

  /** Ends retries, and first attempts at URLs that are too far behind; the other URLs still get the event. */
  #stopRest(): void {
    for (const endpointDelivery of this.#endpointDeliveries) {
      if (endpointDelivery.attempts > 0 || this.#interrupted) this.#giveUp(endpointDelivery);
      else if (endpointDelivery.phase === 'postponed') this.#post(endpointDelivery);
      if (endpointDelivery.phase === 'queued') this.#withdraw(endpointDelivery);
    }
  }

  /** `maxQueued`: as in `withdrawIfBehind`. */
  #withdraw(endpointDelivery: EndpointDelivery, maxQueued?: number): void {
    const result = endpointDelivery.queue.withdrawIfBehind(endpointDelivery, maxQueued);
    if (!result) return;
    this.#note(endpointDelivery, result, this.#rules.clock.now());
    endpointDelivery.phase = 'failed';
  }

  /** Ends it unless it is in flight or delivered. A queued request is dropped by its endpoint queue. */
  #giveUp(endpointDelivery: EndpointDelivery): void {
    if (endpointDelivery.phase === 'active' || endpointDelivery.phase === 'delivered') return;
    endpointDelivery.cancelWait();
    const { phase } = endpointDelivery;
    if (!this.#rules.returnsRetries || phase === 'failed' || this.isSettled()) {
      endpointDelivery.phase = 'failed';
      endpointDelivery.dueAt = undefined;
      return;
    }
    const now = this.#rules.clock.now();
    const dueAt = endpointDelivery.dueAt ?? now;
    // What was queued is due now, even if the clock was set back since.
    endpointDelivery.dueAt = phase === 'queued' ? Math.min(dueAt, now) : dueAt;
    endpointDelivery.phase = 'postponed';
  }

  #update(): void {
    const state = this.#stateOfEndpoints();
    if (this.#rules.returnsRetries) this.#schedulePostponed(state);
    if (state === this.#state) return;
    this.#state = state;
    this.#onState(state);
  }

  #stateOfEndpoints(): DeliveryState {
    let state: DeliveryState = 'ended';
    for (const { phase, queue } of this.#endpointDeliveries) {
      if (phase === 'active' || phase === 'queued') {
        if (this.isSettled()) return 'accepted';
        const isApart = phase === 'queued' && this.#rules.queuesApart === true;
        if (!queue.isHeld && !isApart) return 'active';
      }
      if (phase === 'active' || phase === 'queued' || phase === 'waiting') state = 'waiting';
    }
    return state;
  }

  #isDelivered(): boolean {
    return this.#rules.allUrls
      ? this.#endpointDeliveries.every(isDelivered)
      : this.#endpointDeliveries.some(isDelivered);
  }

  /** The failure to report; one that could be retried is more useful than a final one. */
  #decisiveDelivery(): EndpointDelivery {
    const failed = this.#endpointDeliveries.filter(
      (endpointDelivery) => endpointDelivery.phase !== 'delivered',
    );
    const open = failed.find(({ verdict }) => verdict === 'retry');
    return open ?? failed.find(({ verdict }) => !verdict) ?? failed[0]!;
  }
}

/** A URL that is down or paused is looked at again after this at the earliest: what it holds may be due. */
const lookAgainMs = 1_000;

function isQueued({ phase }: EndpointDelivery): boolean {
  return phase === 'queued';
}

function isDelivered({ phase }: EndpointDelivery): boolean {
  return phase === 'delivered';
}

/** Copies a body that is kept for hours, so that it does not keep a larger block of memory alive. */
function ownCopy(body: Buffer): Buffer {
  if (body.buffer.byteLength <= 2 * body.length) return body;
  const copy = Buffer.allocUnsafeSlow(body.length);
  copy.set(body);
  return copy;
}
