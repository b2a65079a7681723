import type { Clock } from '../clock.js';
import { CircuitBreaker, type DownReason } from './circuit-breaker.js';
import type { EndpointNotice } from './endpoint-notice.js';
import { EndpointPause } from './endpoint-pause.js';
import { EndpointProbes } from './endpoint-probes.js';
import type { AttemptResult } from './outcome.js';

export interface HoldOptions {
  readonly clock: Clock;
  /** Maximum requests in flight while the URL is up. */
  readonly concurrency: number;
  /** How long one event is retried, in milliseconds. With 0 the URL is never paused, and never counts as down. */
  readonly retryWindowMs: number;
  /** Called with what responses say about the URL as a whole; not for notices received by `applyNotice`. */
  readonly onNotice?: ((notice: EndpointNotice) => void) | undefined;
  /**
   * Called with the end of a pause requested by `Retry-After` (milliseconds since 1970), again when the
   * pause is extended, and with undefined when it has ended.
   */
  readonly onPause?: ((untilMs: number | undefined) => void) | undefined;
  /** Called when the URL is considered down, with the reason, and when it is up again, also by a notice. */
  readonly onDown?: ((isDown: boolean, reason?: DownReason) => void) | undefined;
  /** Asked before each probe of a URL that is down; refused, it is asked again after 1 s. Default: always. */
  readonly mayProbe?: (() => Promise<boolean>) | undefined;
  /** Called when the URL may accept requests again, or a probe. */
  readonly onAvailable?: (() => void) | undefined;
}

/** The queue whose requests are held. */
export interface HeldQueue {
  /** Whether requests are in flight. */
  isSending(): boolean;
  /** Whether none is in flight, and none waits. */
  isEmpty(): boolean;
  /** Whether no request can be sent anymore. */
  isDisabled(): boolean;
  /** Sends the requests that may be sent by now. */
  pump(): void;
  /** Called when the URL is paused or down: what waits may be kept elsewhere. */
  onHeld(): void;
}

/** The shortest and the longest time that a request is kept elsewhere while its URL is down, in milliseconds. */
const minHoldMs = 5_000;
export const maxHoldMs = 10 * 60 * 1000;
/** The longest pause that a response can request, however long its events are retried. */
const longestPauseMs = 4 * 60 * 60 * 1000;
/**
 * How late the event that was chosen as the next probe may be, in milliseconds, since it is read from the store first.
 * After that another event may be chosen.
 */
const maxProberDelayMs = 2_000;

/** Whether one URL gets requests now: all, none while it is paused, or only probes while it is down. */
export class EndpointHold {
  readonly #options: HoldOptions;
  readonly #queue: HeldQueue;
  readonly #pause: EndpointPause;
  readonly #breaker: CircuitBreaker;
  readonly #probes: EndpointProbes;
  /** The event that was chosen as the next probe, and until when no other one is chosen, by `Clock.monotonic()`. */
  #prober: { readonly id: string; readonly untilMs: number } | undefined;
  #cancelEnd: (() => void) | undefined;

  constructor(options: HoldOptions, queue: HeldQueue) {
    const { clock, concurrency, retryWindowMs, mayProbe } = options;
    this.#options = options;
    this.#queue = queue;
    this.#pause = new EndpointPause({
      clock,
      maxPauseMs: Math.min(retryWindowMs, longestPauseMs),
      onChange: (untilMs) => this.#notePause(untilMs),
    });
    this.#breaker = new CircuitBreaker({
      ...{ clock, concurrency },
      windowMs: retryWindowMs,
      onChange: (isDown, reason) => this.#noteBreaker(isDown, reason),
    });
    this.#probes = new EndpointProbes(clock, mayProbe, () => this.#noteAvailable());
  }

  /** Whether the URL is paused, or down, and gets no more than probes. */
  get isHeld(): boolean {
    return !this.#queue.isDisabled() && (this.#pause.isActive || this.#breaker.isDown);
  }

  /** Whether it is down, or paused for more than `maxMs`. */
  isHeldFor(maxMs: number): boolean {
    const { untilMs } = this.#pause;
    if (untilMs === undefined) return this.#breaker.isDown;
    return untilMs - this.#options.clock.now() > maxMs;
  }

  /** Whether the URL is down, and a request that is posted now is sent at once, as a probe. */
  get wantsProbe(): boolean {
    return this.#mayBeProbed() && this.#queue.isEmpty() && this.#breaker.waitMs() === 0;
  }

  /** Whether that probe should be an event that was not attempted before, see `CircuitBreaker.wantsFreshProbe`. */
  get wantsFreshProbe(): boolean {
    return this.wantsProbe && this.#breaker.wantsFreshProbe;
  }

  /**
   * Until when a request is better kept elsewhere, milliseconds since 1970: the end of the pause, or for a
   * URL that is down an eighth of the time that it has been down, 5 s to 10 min from now. While a probe is in
   * flight, which may show that it is up, a quarter of that: 5 s to 2.5 min.
   */
  get heldUntil(): number {
    const { untilMs } = this.#pause;
    if (untilMs !== undefined) return untilMs;
    const part = this.#queue.isSending() ? 1 / 4 : 1;
    const eighth = this.#breaker.downForMs / 8;
    const waitMs = Math.min(Math.max(eighth * part, minHoldMs), maxHoldMs * part);
    return Math.ceil(this.#options.clock.now() + waitMs);
  }

  /**
   * When the event with this id is to come as the next probe of a URL that is down, milliseconds since 1970; undefined
   * if a probe is in flight, or another event is to come. `hasProbed`: that probe was its own, and has failed.
   */
  nextProbe(id: string, hasProbed: boolean): number | undefined {
    const { clock } = this.#options;
    const now = clock.monotonic();
    if (!this.#mayBeProbed() || (!hasProbed && !this.#queue.isEmpty())) return undefined;
    if (this.#prober && this.#prober.id !== id && this.#prober.untilMs > now) return undefined;
    const waitMs = this.#breaker.waitMs();
    this.#prober = { id, untilMs: now + waitMs + maxProberDelayMs };
    return Math.ceil(clock.now() + waitMs);
  }

  /**
   * Whether one more request may start beside `inFlight` ones. While the URL is down `takeProbe` must agree, too; before
   * the time of the next probe, schedules it.
   */
  mayStart(inFlight: number): boolean {
    if (this.#pause.isActive || inFlight >= this.#breaker.limit) return false;
    const waitMs = this.#breaker.waitMs();
    if (waitMs > 0) this.#probes.waitFor(waitMs);
    return waitMs === 0;
  }

  /** Takes the permission for a request that is a probe; others need none. */
  takeProbe(): boolean {
    return !this.#breaker.isDown || this.#probes.take();
  }

  /** Called when an event that was not attempted before is sent, maybe as a probe. */
  noteFirstAttempt(): void {
    this.#breaker.noteFreshProbe();
  }

  /**
   * Schedules `onAvailable` for the next probe of a URL that is down: others keep the requests, so none waits in the
   * queue that would be sent then.
   */
  scheduleProbe(): void {
    if (this.#options.onAvailable && this.#breaker.isDown)
      this.#probes.waitFor(this.#breaker.waitMs());
  }

  /** Applies a response to the URL as a whole. */
  learn(result: AttemptResult): void {
    if (result.retryAfterMs !== undefined) this.#pauseFor(result.retryAfterMs);
    // A refused token says nothing about the URL, except that it responds.
    this.#breaker.note(result.retriesAtOnce ? 'failed' : result.verdict, result);
  }

  /** Applies what another queue to the same URL has learned from a response. */
  applyNotice(notice: Exclude<EndpointNotice, { kind: 'gone' }>): void {
    if (notice.kind === 'paused') this.#pause.extend(notice.untilMs - this.#options.clock.now());
    else if (notice.kind === 'down') this.#applyDown(notice);
    else this.#applyUp();
  }

  /** Ends a pause at this time (milliseconds since 1970), since an event has its last attempt then. */
  endPauseBy(timeMs: number): void {
    this.#pause.endBy(timeMs);
  }

  close(): void {
    this.#pause.close();
    this.#probes.reset();
    this.#cancelEnd?.();
  }

  #mayBeProbed(): boolean {
    return this.#breaker.isDown && !this.#queue.isDisabled() && !this.#pause.isActive;
  }

  /** Sends what waits in the queue; what waits elsewhere may follow. */
  #noteAvailable(): void {
    this.#queue.pump();
    if (this.wantsProbe || !this.isHeld) this.#options.onAvailable?.();
    else if (this.#breaker.waitMs() > 0) this.scheduleProbe();
  }

  #noteHeld(): void {
    this.#queue.onHeld();
    this.scheduleProbe();
    this.#scheduleEnd();
  }

  /** After a short retry window nothing is held back anymore: tells others, who keep requests meanwhile. */
  #scheduleEnd(): void {
    const { heldForMs } = this.#breaker;
    this.#cancelEnd?.();
    if (heldForMs === Infinity || !this.#options.onAvailable) return;
    const { clock } = this.#options;
    this.#cancelEnd = clock.after(heldForMs + 1, () => this.#noteAvailable());
  }

  #pauseFor(ms: number): void {
    const untilMs = this.#pause.extend(ms);
    if (untilMs !== undefined) this.#options.onNotice?.({ kind: 'paused', untilMs });
  }

  #notePause(untilMs: number | undefined): void {
    this.#options.onPause?.(untilMs);
    if (untilMs !== undefined) this.#noteHeld();
    else this.#noteAvailable();
  }

  #noteBreaker(isDown: boolean, reason: DownReason | undefined): void {
    this.#probes.reset();
    const why = reason && { status: reason.status, error: reason.error };
    this.#options.onDown?.(isDown, why);
    const sinceMs = this.#options.clock.now() - this.#breaker.downForMs;
    this.#options.onNotice?.(
      isDown ? { kind: 'down', sinceMs, ...(why && { reason: why }) } : { kind: 'up' },
    );
    if (isDown) this.#noteHeld();
    else this.#options.onAvailable?.();
  }

  #applyDown({ sinceMs, reason }: Extract<EndpointNotice, { kind: 'down' }>): void {
    if (!this.#breaker.open(this.#options.clock.now() - sinceMs, reason)) return;
    this.#probes.reset();
    this.#options.onDown?.(true, reason);
    this.#noteHeld();
  }

  #applyUp(): void {
    if (!this.#breaker.close()) return;
    this.#probes.reset();
    this.#options.onDown?.(false);
    this.#noteAvailable();
  }
}
