import type { DestinationState } from '../forward/forwarder.js';

/** Why events wait for a destination, and what happens next. */
export interface Hold {
  /** `queued`, `endpoint_down`, `endpoint_paused`, `destination_off`, `destination_removed`. */
  readonly code: string;
  readonly message: string;
}

/** What keeps events from their destinations at the moment. */
export class Holds {
  readonly #destinations: readonly DestinationState[];

  constructor(destinations: readonly DestinationState[]) {
    this.#destinations = destinations;
  }

  /** Undefined for one that takes what comes. */
  of(name: string): Hold | undefined {
    return holdOf(this.#stateOf(name));
  }

  /** The same for an event that was not tried, which waits for its turn at least. */
  ofNotAttempted(name: string): Hold {
    const state = this.#stateOf(name);
    const queued = (state?.waiting ?? 0) - (state?.retrying ?? 0);
    const message = `its turn has not come yet; ${queued} ${queued === 1 ? 'event is' : 'events are'} queued`;
    return holdOf(state) ?? { code: 'queued', message };
  }

  #stateOf(name: string): DestinationState | undefined {
    return this.#destinations.find((state) => state.name === name);
  }
}

function holdOf(state: DestinationState | undefined): Hold | undefined {
  if (!state?.isConfigured) {
    const message =
      'the configuration no longer has this destination; when it is back, it goes out';
    return { code: 'destination_removed', message: `${message}, ${orElse}` };
  }
  if (!state.isEnabled) {
    const message = `the destination is off; when it is switched on, it goes out, ${orElse}`;
    return { code: 'destination_off', message };
  }
  if (state.urls.every((url) => state.paused.has(url))) return pauseOf(state);
  if (state.down.length === 0 || state.down.length < state.urls.length) return undefined;
  const message =
    'the endpoint does not answer; single events probe it, and when it does, it goes out';
  return { code: 'endpoint_down', message };
}

function pauseOf({ paused }: DestinationState): Hold {
  const until = new Date(Math.min(...paused.values())).toISOString();
  const message = `the endpoint asked for a pause until ${until}; then it goes out`;
  return { code: 'endpoint_paused', message };
}

const orElse = 'else it is given up 7 days after it came';
