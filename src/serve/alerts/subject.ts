import { isDeepStrictEqual } from 'node:util';
import type { Views } from '../store/service-store.js';
import type { Destination } from '../types.js';
import type { NewsKind } from './alert.js';
import { alertEveryMs, type AlertState } from './alert-states.js';
import { DeadLetterWatch } from './dead-letter-watch.js';
import { OutageWatch } from './outage-watch.js';

/** After failures, the next alert is tried after a minute, two, four and so on up to this time. */
const maxPauseMs = 60 * 60 * 1000;

/** A destination with alerts: what is known of it, and when it may be told. Times are of the monotonic clock. */
export class AlertSubject {
  readonly outage = new OutageWatch();
  readonly deadLetters: DeadLetterWatch;
  #destination: Destination;
  #isSending = false;
  #nextAt = -Infinity;
  /** Alerts in a row that failed. */
  #failures = 0;
  #lastKind: NewsKind | undefined;

  constructor(destination: Destination, views: Views) {
    this.#destination = destination;
    this.deadLetters = new DeadLetterWatch(views, destination.name);
  }

  get destination(): Destination {
    return this.#destination;
  }

  /** How long nothing is sent after the last alert, or after the last failures. */
  get pauseMs(): number {
    return Math.min(alertEveryMs * 2 ** Math.max(0, this.#failures - 1), maxPauseMs);
  }

  /** Other settings of its alerts are tried within a minute. */
  configure(destination: Destination, now: number): void {
    if (!isDeepStrictEqual(this.#destination.alerts, destination.alerts)) {
      this.#failures = 0;
      this.#nextAt = Math.min(this.#nextAt, now + alertEveryMs);
    }
    this.#destination = destination;
  }

  mayTell(now: number): boolean {
    return !this.#isSending && now >= this.#nextAt;
  }

  /** What to tell next; undefined if nothing is news. */
  nextKind(
    { isDown, isRestored = false }: AlertState,
    isDeadLetterNew: boolean,
  ): NewsKind | undefined {
    const { state } = this.outage;
    const isNews = state === 'down' ? !isDown || isRestored : state === 'up' && isDown;
    const change = isNews ? state : undefined;
    if (!isDeadLetterNew) return change;
    // Of two kinds the one that was not sent last: going up and down again and again hides no dead letters.
    const isTurnOfChange = this.#lastKind === undefined || this.#lastKind === 'dead_letters';
    return (isTurnOfChange ? change : undefined) ?? 'dead_letters';
  }

  begin(kind: NewsKind): void {
    this.#isSending = true;
    this.#lastKind = kind;
  }

  /** @param isDelivered undefined if it was interrupted */
  end(isDelivered: boolean | undefined, now: number): void {
    this.#isSending = false;
    if (isDelivered !== undefined) this.#failures = isDelivered ? 0 : this.#failures + 1;
    this.#nextAt = now + this.pauseMs;
  }
}
