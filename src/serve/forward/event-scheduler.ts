import type { Target } from '../../delivery/target.js';
import type { WebhookSender } from '../../webhook/target.js';
import type { QueuedEvent } from '../store/stored.js';

import type { Backlog, Retries } from '../store/service-store.js';

export interface EventSchedulerOptions {
  readonly backlog: Backlog;
  readonly retries: Retries;
  readonly target: Pick<Target, 'isUnavailable' | 'wantsFreshProbe'> &
    Pick<WebhookSender, 'probesWanted'>;
}

/** Where a probe is taken from: the retry that is due first, the event that came first, or that which came last. */
type ProbeSource = 'earliest' | 'first' | 'newest';

/** Decides which event of a destination is sent next: a new one, a retry, or a probe. */
export class EventScheduler {
  readonly #options: EventSchedulerOptions;
  #isRetryNext = true;
  #hasTried = false;
  /** Where the event came from that is handled now, if it is a probe. */
  #probeSource: ProbeSource | undefined;
  #wasReleased = false;
  /** The URLs that wanted a probe still after one from there, a bit for each: the next one would be the same event. */
  readonly #missed: Record<ProbeSource, number> = { earliest: 0, first: 0, newest: 0 };

  constructor(options: EventSchedulerOptions) {
    this.#options = options;
  }

  /**
   * Whether due retries are left alone: all URLs were down at the last stop, and the first probe has yet to show
   * whether they still are. Retries that are taken before would be postponed.
   */
  get awaitsFirstProbe(): boolean {
    return !this.#hasTried && this.#options.target.isUnavailable === true;
  }

  /** An attempt has ended. */
  noteAttempt(): void {
    this.#hasTried = true;
  }

  /** An event without an attempt may have come, which may go to a URL that others do not go to. */
  noteMore(): void {
    this.#missed.first = this.#missed.newest = 0;
  }

  /**
   * Alternates between new events and retries, so that neither starves. While all URLs are down or paused,
   * new events stay untried: retries that are due are looked at, and serve as probes.
   * @throws StateError when the store cannot be read.
   */
  next(): QueuedEvent | undefined {
    const { backlog, retries, target } = this.#options;
    if (target.isUnavailable) {
      // Otherwise due retries are taken, so that they are postponed; one of them may be sent as a probe.
      const fresh = target.wantsFreshProbe ? this.#nextProbe() : undefined;
      if (fresh) return fresh;
      return (this.awaitsFirstProbe ? undefined : retries.take()) ?? this.#nextProbe();
    }
    this.#isRetryNext = !this.#isRetryNext;
    const next = this.#isRetryNext
      ? (retries.take() ?? backlog.take())
      : (backlog.take() ?? retries.take());
    // A URL is up, nothing is due, and another URL that is down wants a probe.
    return next ?? this.#nextProbe();
  }

  /** What `next` returned, an event without an attempt, was not sent, and is released. */
  noteReleased(): void {
    this.#wasReleased = true;
  }

  /** What `next` returned was handled. */
  noteHandled(): void {
    const { probesWanted } = this.#options.target;
    const missed = this.#missed;
    missed.earliest &= probesWanted;
    missed.first &= probesWanted;
    missed.newest &= probesWanted;
    const source = this.#probeSource;
    if (source && (source === 'earliest' || this.#wasReleased)) missed[source] |= probesWanted;
    this.#probeSource = undefined;
  }

  /** Mostly an event that was attempted before, so that an outage is probed with the same few events. */
  #nextProbe(): QueuedEvent | undefined {
    const { backlog, retries, target } = this.#options;
    if (target.probesWanted === 0) return undefined;
    const newest = (): QueuedEvent | undefined => backlog.takeNewest();
    return (
      (target.wantsFreshProbe ? this.#probeFrom('newest', newest) : undefined) ??
      this.#probeFrom('earliest', () => retries.takeEarliest()) ??
      this.#probeFrom('first', () => backlog.take()) ??
      this.#probeFrom('newest', newest)
    );
  }

  /** Undefined where nothing is, or what is there goes to none of the URLs that want a probe. */
  #probeFrom(source: ProbeSource, take: () => QueuedEvent | undefined): QueuedEvent | undefined {
    if ((this.#options.target.probesWanted & ~this.#missed[source]) === 0) return undefined;
    const event = take();
    if (event) this.#probeSource = source;
    this.#wasReleased = false;
    return event;
  }
}
