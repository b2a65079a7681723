import type { EndpointHealth } from '../../api/serve.js';
import type { Clock } from '../../clock.js';
import type { DestinationState, Forwarder } from '../forward/forwarder.js';
import type { ServiceStore } from '../store/service-store.js';
import type { Counters } from './counters.js';
import type { Queued } from '../store/service-store.js';

/** As the page names them; an endpoint that is paused by its `Retry-After` is only that. */
export const endpointStates = ['unused', 'up', 'failing', 'down', 'gone', 'paused'] as const;

/** What the gauges show. */
export interface Readings {
  /** Whether the last commit has succeeded, and the state can be read. */
  readonly isStateOk: boolean;
  /** Those that are configured, and removed ones for which events wait. */
  readonly destinations: readonly DestinationReading[];
  /** By destination; also those that are not configured any more. */
  readonly deadLetters: ReadonlyMap<string, number>;
  /** Of a store that instances share. */
  readonly oldestTransactionSeconds?: number | undefined;
}

export interface DestinationReading {
  readonly name: string;
  /** Including those in flight and those that wait for a retry. */
  readonly waiting: number;
  readonly retrying: number;
  /** Of the oldest waiting event; 0 when none waits. */
  readonly oldestSeconds: number;
  /** By URL, without its query. */
  readonly endpoints: ReadonlyMap<string, (typeof endpointStates)[number]>;
  /** Days until client certificates end, by URL as well; below 0 of those that have ended. */
  readonly certificateDays: ReadonlyMap<string, number>;
}

const dayMs = 24 * 60 * 60 * 1000;

export interface ReaderOptions {
  readonly store: ServiceStore;
  readonly forwarder: Forwarder;
  readonly counters: Counters;
  readonly clock: Clock;
}

/** Reads what the gauges show, at each request of the metrics. */
export class Reader {
  readonly #options: ReaderOptions;
  readonly #ages: WaitingAges;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#ages = new WaitingAges(options.clock);
  }

  read(): Readings {
    try {
      return this.#read();
    } catch {
      // A damaged file: the other metrics are needed all the more. Queues report it.
      return { isStateOk: false, destinations: [], deadLetters: new Map() };
    }
  }

  #read(): Readings {
    const { store, forwarder } = this.#options;
    const states = forwarder.destinations();
    const ages = this.#ages.read(states.map(({ name }) => [name, store.oldestWaiting(name)]));
    const withLetters = [...states.map(({ name }) => name), ...store.views.withDeadLetters()];
    return {
      isStateOk: store.failure === undefined,
      oldestTransactionSeconds: store.oldestTransactionSeconds,
      destinations: states.map((state) => this.#readingOf(state, ages.get(state.name) ?? 0)),
      deadLetters: new Map(withLetters.map((name) => [name, store.views.deadLetterCount(name)])),
    };
  }

  #readingOf(state: DestinationState, ageMs: number): DestinationReading {
    const { name, waiting, retrying, urls, paused, certificateEnds = [] } = state;
    const now = this.#options.clock.now();
    const stateOf = (url: string): EndpointHealth | 'paused' =>
      paused.has(url) ? 'paused' : this.#options.counters.endpoint(name, url).health;
    return {
      ...{ name, waiting, retrying, oldestSeconds: ageMs / 1000 },
      endpoints: new Map(urls.map((url) => [url, stateOf(url)])),
      certificateDays: new Map(
        [...certificateEnds].map(([url, end]) => [url, (end - now) / dayMs]),
      ),
    };
  }
}

/**
 * How long the oldest event of each destination has waited. When the time of day was set back, an event
 * seems to be from the future: its age is then at least the time since it was first seen as the oldest.
 */
class WaitingAges {
  readonly #clock: Clock;
  /** The oldest events of the last reading, and since when they are the oldest by the monotonic clock. */
  #seen: ReadonlyMap<string, { readonly id: number; readonly at: number }> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The ages in milliseconds, by destination; without those for which nothing waits. */
  read(oldest: readonly (readonly [string, Queued | undefined])[]): ReadonlyMap<string, number> {
    const now = this.#clock.now();
    const at = this.#clock.monotonic();
    const ages = new Map<string, number>();
    const seen = new Map<string, { readonly id: number; readonly at: number }>();
    for (const [name, event] of oldest) {
      if (!event) continue;
      const before = this.#seen.get(name);
      const since = before?.id === event.id ? before : { id: event.id, at };
      seen.set(name, since);
      ages.set(name, Math.max(now - event.queuedAt, at - since.at));
    }
    this.#seen = seen;
    return ages;
  }
}
