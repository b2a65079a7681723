import type { DestinationState } from '../forward/forwarder.js';
import type { EventRecord } from '../event-record.js';
import type { EndpointReport } from './endpoint-health.js';

/** Why events wait for a destination, and until when. */
export interface Hold {
  /**
   * `queued`, `endpoint_down`, `endpoint_failing`, `endpoint_paused`, `destination_off`, `destination_refused`,
   * `destination_removed`.
   */
  readonly code: string;
  readonly message: string;
  /** When it ends, in milliseconds since 1970, where that is known. */
  readonly until?: number;
}

/** How an endpoint of a destination is, by its URL without the query. */
type ReportOf = (destination: string, url: string) => EndpointReport;

/** Why events currently wait for destinations. */
export class Holds {
  readonly #destinations: ReadonlyMap<string, DestinationState>;
  readonly #reportOf: ReportOf;
  readonly #now: number;

  /** @param now in milliseconds since 1970 */
  constructor(destinations: readonly DestinationState[], reportOf: ReportOf, now: number) {
    this.#destinations = new Map(destinations.map((state) => [state.name, state]));
    this.#reportOf = reportOf;
    this.#now = now;
  }

  /** Undefined for a destination that accepts events. */
  of(name: string): Hold | undefined {
    return this.#holdOf(this.#destinations.get(name));
  }

  /** Why a retry waits beyond `dueAt`; undefined if it does not. */
  ofRetry(name: string, dueAt: number): Hold | undefined {
    const hold = this.of(name);
    // Its end is part of `dueAt`.
    if (hold?.code === 'endpoint_paused') return undefined;
    // An endpoint that is probed gets the retries that are due, but one at a time.
    if (hold?.code.startsWith('endpoint_') && dueAt > this.#now) return undefined;
    return hold;
  }

  /** Why an event that was not attempted waits: it is queued in any case. */
  ofNotAttempted(name: string): Hold {
    const state = this.#destinations.get(name);
    const queued = (state?.waiting ?? 0) - (state?.retrying ?? 0);
    const message = `in a queue of ${queued} ${queued === 1 ? 'event' : 'events'}`;
    return this.#holdOf(state) ?? { code: 'queued', message };
  }

  /** The record of an event that waits, with the reason. */
  explained<Waiting extends EventRecord>(record: Waiting): Waiting {
    const { state, destination, nextAt } = record;
    const asOf = this.#now;
    if (state === 'queued') {
      const { code, message, until = null } = this.ofNotAttempted(destination ?? '');
      return { ...record, asOf, code, message, nextAt: until };
    }
    const held = this.ofRetry(destination ?? '', nextAt ?? 0)?.message;
    return { ...record, asOf, ...(held !== undefined && { held }) };
  }

  #holdOf(state: DestinationState | undefined): Hold | undefined {
    if (!state?.isConfigured) {
      const message = `the destination is not in the configuration; sent when it is back, ${orElse}`;
      return { code: 'destination_removed', message };
    }
    if (state.refusal !== undefined) {
      const message = `the destination is refused (${state.refusal}); sent once that is put right, ${orElse}`;
      return { code: 'destination_refused', message };
    }
    if (!state.isEnabled) {
      const message = `the destination is off; sent when it is switched on, ${orElse}`;
      return { code: 'destination_off', message };
    }
    if (state.urls.every((url) => state.paused.has(url))) return pauseOf(state);
    if (state.down.length === 0 || state.down.length < state.urls.length) return undefined;
    return this.#probeOf(state);
  }

  /** All endpoints are probed: one that responds is failing, and not down. */
  #probeOf({ name, urls }: DestinationState): Hold {
    const probes = 'single events probe it, and the rest follow when it recovers';
    const reports = urls.map((url) => this.#reportOf(name, url));
    const responding = reports.find(({ health }) => health !== 'down' && health !== 'unused');
    if (!responding) return { code: 'endpoint_down', message: `the endpoint is down; ${probes}` };
    const { lastStatus, lastError } = responding;
    const last = lastStatus === null ? (lastError ?? '') : `HTTP ${lastStatus}`;
    return { code: 'endpoint_failing', message: `the endpoint is failing (${last}); ${probes}` };
  }
}

function pauseOf({ paused }: DestinationState): Hold {
  const until = Math.min(...paused.values());
  const time = new Date(until).toISOString();
  const message = `the endpoint asked for a pause until ${time}; sent after that`;
  return { code: 'endpoint_paused', message, until };
}

const orElse = 'or failed 7 days after it was received';
