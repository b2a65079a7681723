import type { Endpoint } from './endpoints.js';
import { hour, minute } from './plan.js';

/** Before that, what was in flight may still fail. */
const beginningMs = minute;
/** Until all URLs count as down 16 attempts fail, and a few more events are tried later: 3 in ten hours. */
const firstEvents = 24;
/** When the window of an event has ended, another one may be tried in its place. */
const perHour = 0.5;
/** A start, a reload or a switch may look for the outage anew. */
const perStart = 20;

interface Outage {
  readonly since: number;
  /** How often the destination was started since then. */
  starts: number;
  tried: number;
}

/** Watches that an outage of all URLs of a destination spends few events, however long it lasts. */
export class Outages {
  readonly #current = new Map<string, Outage>();

  /** All destinations begin anew: the program has started, or its configuration has changed. */
  noteStart(): void {
    for (const outage of this.#current.values()) outage.starts++;
  }

  /**
   * An event is attempted at a destination for the first time. Returns what is wrong with that, if something is.
   * `at`: in milliseconds since the world began.
   */
  noteFirstAttempt(
    destination: string,
    endpoints: readonly Endpoint[],
    at: number,
  ): string | undefined {
    const since = endpoints.map(({ failingSince }) => failingSince ?? Infinity);
    const begun = Math.max(...since);
    if (at - begun < beginningMs || begun === Infinity) return undefined;
    let outage = this.#current.get(destination);
    if (outage?.since !== begun) {
      outage = { since: begun, starts: 0, tried: 0 };
      this.#current.set(destination, outage);
    }
    outage.tried++;
    const hours = (at - begun) / hour;
    const most = firstEvents + perHour * hours + perStart * outage.starts;
    if (outage.tried <= most) return undefined;
    return `${destination}: ${outage.tried} events are tried in an outage of ${hours.toFixed(1)} hours`;
  }
}
