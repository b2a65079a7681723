import type { Target } from '../../delivery/target.js';
import type { QueuedEvent } from '../store/stored.js';
import type { Backlog } from './backlog.js';
import type { DueRetries } from './due-retries.js';

export interface EventSchedulerOptions {
  readonly backlog: Backlog;
  readonly retries: DueRetries;
  readonly target: Pick<Target, 'isUnavailable' | 'wantsProbe' | 'wantsFreshProbe'>;
}

/** Decides which event of a destination is sent next: a new one, a retry, or a probe. */
export class EventScheduler {
  readonly #options: EventSchedulerOptions;
  #isRetryNext = true;
  /**
   * Whether the first attempt is still to come, or to end. After a stop in an outage it is a retry, and alone:
   * an outage over restarts is found by the same few events, and others stay untried.
   */
  #first: 'due' | 'sent' | 'ended' = 'due';
  /** Whether the retry that is due first was taken, and the URL that wants a probe still wants one. */
  #isEarliestUnfit = false;

  constructor(options: EventSchedulerOptions) {
    this.#options = options;
  }

  /** Whether nothing else is sent until the first attempt has ended. */
  get awaitsFirst(): boolean {
    return this.#first === 'sent';
  }

  /** Returns whether it was awaited. */
  endFirst(): boolean {
    const isAwaited = this.awaitsFirst;
    if (isAwaited) this.#first = 'ended';
    return isAwaited;
  }

  /**
   * Alternates between new events and retries, so that neither starves. While all URLs are down or paused,
   * new events stay untried: retries that are due are looked at, and serve as probes.
   * @throws StateError when the store cannot be read.
   */
  next(): QueuedEvent | undefined {
    const { backlog, retries, target } = this.#options;
    const first = this.#nextFirst();
    if (first) return first;
    if (target.isUnavailable) {
      if (target.wantsFreshProbe) return this.#nextProbe();
      return retries.take() ?? (target.wantsProbe ? this.#nextProbe() : undefined);
    }
    this.#isRetryNext = !this.#isRetryNext;
    return this.#isRetryNext
      ? (retries.take() ?? backlog.take())
      : (backlog.take() ?? retries.take());
  }

  /** What `next` returned was handled. */
  noteHandled(): void {
    this.#isEarliestUnfit &&= this.#options.target.wantsProbe === true;
  }

  #nextFirst(): QueuedEvent | undefined {
    if (this.#first !== 'due') return undefined;
    const { retries } = this.#options;
    const first = retries.showOutage() ? retries.takeEarliest() : undefined;
    this.#first = first ? 'sent' : 'ended';
    return first;
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
