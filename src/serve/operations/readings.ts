import type { EndpointHealth } from '../../api/serve.js';
import type { Clock } from '../../clock.js';
import type { DestinationState, Forwarder } from '../forward/forwarder.js';
import type { ServiceStore } from '../store/service-store.js';
import type { Counters } from './counters.js';
import { WaitingAges } from './waiting-ages.js';

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
}

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
      destinations: states.map((state) => this.#readingOf(state, ages.get(state.name) ?? 0)),
      deadLetters: new Map(withLetters.map((name) => [name, store.views.deadLetterCount(name)])),
    };
  }

  #readingOf(state: DestinationState, ageMs: number): DestinationReading {
    const { name, waiting, retrying, urls, paused } = state;
    const stateOf = (url: string): EndpointHealth | 'paused' =>
      paused.has(url) ? 'paused' : this.#options.counters.endpoint(name, url).health;
    return {
      ...{ name, waiting, retrying, oldestSeconds: ageMs / 1000 },
      endpoints: new Map(urls.map((url) => [url, stateOf(url)])),
    };
  }
}
