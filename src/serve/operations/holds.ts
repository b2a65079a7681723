import type { DestinationState } from '../forward/forwarder.js';

/** Why events wait for a destination, and until when. */
export interface Hold {
  /** `queued`, `endpoint_down`, `endpoint_paused`, `destination_off`, `destination_removed`. */
  readonly code: string;
  readonly message: string;
}

/** Why events currently wait for destinations. */
export class Holds {
  readonly #destinations: readonly DestinationState[];

  constructor(destinations: readonly DestinationState[]) {
    this.#destinations = destinations;
  }

  /** Undefined for a destination that accepts events. */
  of(name: string): Hold | undefined {
    return holdOf(this.#stateOf(name));
  }

  /** The same for an event that was not attempted, which is queued in any case. */
  ofNotAttempted(name: string): Hold {
    const state = this.#stateOf(name);
    const queued = (state?.waiting ?? 0) - (state?.retrying ?? 0);
    const message = `in a queue of ${queued} ${queued === 1 ? 'event' : 'events'}`;
    return holdOf(state) ?? { code: 'queued', message };
  }

  #stateOf(name: string): DestinationState | undefined {
    return this.#destinations.find((state) => state.name === name);
  }
}

function holdOf(state: DestinationState | undefined): Hold | undefined {
  if (!state?.isConfigured) {
    const message = `the destination is not in the configuration; sent when it is back, ${orElse}`;
    return { code: 'destination_removed', message };
  }
  if (!state.isEnabled) {
    const message = `the destination is off; sent when it is switched on, ${orElse}`;
    return { code: 'destination_off', message };
  }
  if (state.urls.every((url) => state.paused.has(url))) return pauseOf(state);
  if (state.down.length === 0 || state.down.length < state.urls.length) return undefined;
  const message =
    'the endpoint is down; single events probe it, and the rest follow when it recovers';
  return { code: 'endpoint_down', message };
}

function pauseOf({ paused }: DestinationState): Hold {
  const until = new Date(Math.min(...paused.values())).toISOString();
  const message = `the endpoint asked for a pause until ${until}; sent after that`;
  return { code: 'endpoint_paused', message };
}

const orElse = 'or failed 7 days after it was received';
