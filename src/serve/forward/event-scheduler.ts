import type { Target } from '../../delivery/target.js';
import type { QueuedEvent } from '../store/stored.js';

import type { Backlog, Retries } from '../store/service-store.js';

export interface EventSchedulerOptions {
  readonly backlog: Backlog;
  readonly retries: Retries;
  readonly target: Pick<Target, 'isUnavailable' | 'wantsProbe' | 'wantsFreshProbe'>;
}

/** Decides which event of a destination is sent next: a new one, a retry, or a probe. */
export class EventScheduler {
  readonly #options: EventSchedulerOptions;
  #isRetryNext = true;
  #hasTried = false;
  /** Whether the retry that is due first was taken as a probe, but did not go to the URL that wants one. */
  #isEarliestUnfit = false;

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
      const retry = this.awaitsFirstProbe ? undefined : retries.take();
      return retry ?? (target.wantsProbe ? this.#nextProbe() : undefined);
    }
    this.#isRetryNext = !this.#isRetryNext;
    const next = this.#isRetryNext
      ? (retries.take() ?? backlog.take())
      : (backlog.take() ?? retries.take());
    // A URL is up, nothing is due, and another URL that is down wants a probe.
    return next ?? (target.wantsProbe ? this.#nextProbe() : undefined);
  }

  /** What `next` returned was handled. */
  noteHandled(): void {
    this.#isEarliestUnfit &&= this.#options.target.wantsProbe === true;
  }

  /** Mostly an event that was attempted before, so that an outage is probed with the same few events. */
  #nextProbe(): QueuedEvent | undefined {
    const { backlog, retries, target } = this.#options;
    if (target.wantsFreshProbe) {
      const fresh = backlog.takeNewest();
      if (fresh) return fresh;
    }
    const earliest = this.#isEarliestUnfit ? undefined : retries.takeEarliest();
    if (earliest) this.#isEarliestUnfit = true;
    return earliest ?? backlog.take();
  }
}
