import { integrationsOf } from '../../webhook/integrations.js';
import type { Event } from '../../events/event.js';
import { queuesEvents } from '../switches.js';
import { hasFilters, isTaken } from '../wanted.js';
import type { Accepted, Destination, Routing, Source } from '../types.js';
import type { Route } from '../store/service-store.js';

/** Decides which destinations an event goes to. */
export class Routes {
  readonly #destinations: ReadonlyMap<string, Destination>;
  readonly #ofSource = new Map<Source, SourceRoute>();

  constructor({ destinations }: Routing) {
    this.#destinations = new Map(destinations.map((one) => [one.name, one]));
  }

  /** Names of the destinations of a source that take its events; none when the source itself is disabled. */
  namesFor(source: Source): readonly string[] {
    return this.#for(source).all.destinations;
  }

  /** Returns one route per event. */
  route(source: Source, accepted: readonly Accepted[]): Route[] {
    const { queueing, all, isFiltered } = this.#for(source);
    return accepted.map(({ event }) => {
      const integrations = integrationsOf(event);
      // Most events have no integrations.
      if (integrations === undefined && !isFiltered) return all;
      const route = chosen(queueing, integrations, event);
      return route.skipped.length === 0 ? all : route;
    });
  }

  #for(source: Source): SourceRoute {
    let route = this.#ofSource.get(source);
    if (!route) {
      const queueing = this.#queueingFor(source);
      const all = { destinations: queueing.map(({ name }) => name), skipped: [] };
      const isFiltered = queueing.some(hasFilters);
      this.#ofSource.set(source, (route = { queueing, all, isFiltered }));
    }
    return route;
  }

  #queueingFor({ isEnabled, destinations }: Source): Destination[] {
    if (!isEnabled) return [];
    return [...new Set(destinations)].flatMap((name) => {
      const found = this.#destinations.get(name);
      return found && queuesEvents(found) ? [found] : [];
    });
  }
}

interface SourceRoute {
  readonly queueing: readonly Destination[];
  readonly all: Route;
  /** Whether an endpoint does not want all events. */
  readonly isFiltered: boolean;
}

function chosen(queueing: readonly Destination[], integrations: unknown, event: Event): Route {
  const destinations: string[] = [];
  const skipped: string[] = [];
  for (const destination of queueing) {
    const names = isTaken(destination, event, integrations) ? destinations : skipped;
    names.push(destination.name);
  }
  return { destinations, skipped };
}
