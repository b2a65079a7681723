import { isDeepStrictEqual } from 'node:util';
import { certificateEnds, certificateWarnMs } from '../certificate-ends.js';
import type { Views } from '../store/store-views.js';
import type { Destination } from '../types.js';
import type { DetectedKind } from './alert.js';
import { alertEveryMs, type AlertState } from './alert-states.js';
import { DeadLetterWatch } from './dead-letter-watch.js';
import { OutageWatch } from './outage-watch.js';

/** After failures, the next alert is tried after a minute, two, four and so on up to this time. */
const maxPauseMs = 60 * 60 * 1000;

/** A destination with alerts: what is known of it, and when the next alert may be sent. Times are of the monotonic clock. */
export class AlertSubject {
  readonly outage = new OutageWatch();
  readonly deadLetters: DeadLetterWatch;
  #destination: Destination;
  #isSending = false;
  #nextAt = -Infinity;
  /** Alerts in a row that failed. */
  #failures = 0;
  /** The index of the kind of news that comes first. */
  #turn = 0;

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

  maySend(now: number): boolean {
    return !this.#isSending && now >= this.#nextAt;
  }

  /** The client certificate that ends first. */
  get certificate(): { readonly url: string; readonly end: number } | undefined {
    const [first] = [...certificateEnds(this.#destination)].sort(([, a], [, b]) => a - b);
    return first && { url: first[0], end: first[1] };
  }

  /**
   * What the next alert is about; undefined if nothing is new. Kinds take turns: going up and down again and again hides
   * no dead letters.
   *
   * @param now in milliseconds since 1970
   */
  nextKind(state: AlertState, isDeadLetterNew: boolean, now: number): DetectedKind | undefined {
    const news = [
      this.#changeFrom(state),
      isDeadLetterNew ? ('dead_letters' as const) : undefined,
      this.#isCertificateNews(state, now) ? ('certificate' as const) : undefined,
    ];
    const inTurn = [...news.slice(this.#turn), ...news.slice(0, this.#turn)];
    return inTurn.find((kind) => kind !== undefined);
  }

  #changeFrom({ isDown, isRestored = false }: AlertState): 'up' | 'down' | undefined {
    const { state } = this.outage;
    const isNews = state === 'down' ? !isDown || isRestored : state === 'up' && isDown;
    return isNews ? state : undefined;
  }

  #isCertificateNews({ certificateEnd }: AlertState, now: number): boolean {
    const { end = Infinity } = this.certificate ?? {};
    return end - now <= certificateWarnMs && end !== certificateEnd;
  }

  begin(kind: DetectedKind): void {
    this.#isSending = true;
    this.#turn = kind === 'dead_letters' ? 2 : kind === 'certificate' ? 0 : 1;
  }

  /** @param isDelivered undefined if it was interrupted */
  end(isDelivered: boolean | undefined, now: number): void {
    this.#isSending = false;
    if (isDelivered !== undefined) this.#failures = isDelivered ? 0 : this.#failures + 1;
    this.#nextAt = now + this.pauseMs;
  }
}
