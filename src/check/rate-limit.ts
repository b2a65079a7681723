import type { Clock } from '../clock.js';
import { retryAfterMs, isRetryAfter } from '../http/retry-after.js';
import { isForged, type Exchange, headerOf } from './exchange.js';
import type { Pace } from './pace.js';

/** A longer wait is not worth it: what counts is the minute that most limits are for. */
const maxPauseMs = 60_000;
/** How long a run goes on after the first refusal of a limiter, in all. */
export const maxLimitedMs = 180_000;
/** Pauses in a row that let nothing through: 1, 2, 4, 8, 16 and 32 s are more than a minute. */
const maxPauses = 6;
/** Below this, the checks of a run do not fit into its time. In requests a second. */
const minRate = 0.5;
/** What is sent stays so far below what was let through. */
const margin = 0.9;
/** By how much the rate falls at least when a limit shows again. */
const step = 0.75;

const tooLittle = `what it lets through in ${maxLimitedMs / 60_000} minutes is too little`;

/** Whether a limiter refused the request, instead of the receiver behind it. */
export function isLimited({ response }: Exchange): boolean {
  if (!response) return false;
  const { status } = response;
  return status === 429 || (status === 503 && isRetryAfter(headerOf(response, 'retry-after')));
}

/**
 * What a run does about a limiter of the endpoint, whose limit it learns: it pauses, and then sends at
 * most as many requests a second as were let through before.
 */
export class RateLimit {
  readonly #pace: Pace;
  readonly #clock: Clock;
  /** The requests that a limiter let through, since a pause or the first one. */
  #cycle: { readonly startedAt: number; passed: number };
  #pausedUntil = 0;
  /** In a row, with nothing let through between. */
  #pauses = 0;
  #firstAt: number | undefined;
  #givenUp: string | undefined;
  #hasRefusedValid = false;
  /** Whether forged requests get the status of a limiter from the receiver itself. */
  #isAnswerToForged = false;

  constructor(pace: Pace, clock: Clock) {
    this.#pace = pace;
    this.#clock = clock;
    this.#cycle = { startedAt: clock.monotonic(), passed: 0 };
  }

  /** Whether a limiter has refused anything in this run. */
  get isSeen(): boolean {
    return this.#firstAt !== undefined;
  }

  /** Why the run ends because of the limit, in a sentence; undefined while it goes on. */
  get givenUp(): string | undefined {
    const now = this.#clock.monotonic();
    if (now - (this.#firstAt ?? now) > maxLimitedMs) this.#givenUp ??= tooLittle;
    return this.#givenUp;
  }

  /** @param sentAt `monotonic()` when the request was sent */
  note(exchange: Exchange, sentAt: number): void {
    if (this.hasRefused(exchange)) this.#refused(exchange, sentAt);
    else if (exchange.response) this.#passed(sentAt);
  }

  /** Whether a limiter has refused this request. */
  hasRefused(exchange: Exchange): boolean {
    return isLimited(exchange) && !(this.#isAnswerToForged && isForged(exchange));
  }

  /** The status was the answer of the receiver itself, as it turned out. */
  dismiss(exchange: Exchange): void {
    if (isForged(exchange)) this.#isAnswerToForged = true;
    if (this.#hasRefusedValid) return;
    this.#firstAt = undefined;
    this.#pauses = 0;
    this.#pace.restore();
    this.#cycle = { startedAt: this.#clock.monotonic(), passed: 0 };
  }

  #passed(sentAt: number): void {
    if (this.#pauses > 0 && sentAt >= this.#pausedUntil) {
      this.#pauses = 0;
      this.#cycle = { startedAt: this.#pausedUntil, passed: 0 };
    }
    this.#cycle.passed++;
  }

  #refused({ request, response }: Exchange, sentAt: number): void {
    this.#hasRefusedValid ||= request.isValid;
    const now = this.#clock.monotonic();
    const asked = retryAfterMs(headerOf(response!, 'retry-after'), this.#clock.now()) ?? 0;
    const firstAt = (this.#firstAt ??= now);
    // It was on its way when the pause began.
    const isKnown = sentAt < this.#pausedUntil;
    if (!isKnown) this.#pauses++;
    const pauseMs = isKnown ? asked : Math.max(asked, 1_000 * 2 ** (this.#pauses - 1));
    const until = Math.max(this.#pausedUntil, now + pauseMs);
    this.#givenUp ??= this.#whyGiveUp(asked, until - firstAt);
    this.#pausedUntil = until;
    const seconds = (until - this.#cycle.startedAt) / 1_000;
    const learned = (this.#cycle.passed * margin) / seconds;
    this.#pace.slowDown(
      Math.max(minRate, Math.min(learned, this.#pace.rate * (isKnown ? 1 : step))),
    );
    this.#pace.pauseUntil(until);
  }

  #whyGiveUp(askedMs: number, totalMs: number): string | undefined {
    if (askedMs > maxPauseMs) {
      return `its Retry-After asks to wait ${Math.ceil(askedMs / 1_000)} s, and at most ${maxPauseMs / 1_000} s are waited at once`;
    }
    if (this.#pauses > maxPauses) return 'nothing was let through for a minute';
    return totalMs > maxLimitedMs ? tooLittle : undefined;
  }
}
