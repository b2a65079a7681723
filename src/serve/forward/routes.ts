import { integrationsOf, isEnabledFor } from '../../webhook/integrations.js';
import { isTaking } from '../switches.js';
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
    const { enabled, all } = this.#for(source);
    return accepted.map(({ event }) => {
      const integrations = integrationsOf(event);
      // Most events have no integrations.
      return integrations === undefined ? all : chosen(enabled, integrations);
    });
  }

  #for(source: Source): SourceRoute {
    let route = this.#ofSource.get(source);
    if (!route) {
      const enabled = this.#takingFor(source);
      const all = { destinations: enabled.map(({ name }) => name), skipped: [] };
      this.#ofSource.set(source, (route = { enabled, all }));
    }
    return route;
  }

  #takingFor({ isEnabled, destinations }: Source): Destination[] {
    if (!isEnabled) return [];
    return [...new Set(destinations)].flatMap((name) => {
      const found = this.#destinations.get(name);
      return found && isTaking(found) ? [found] : [];
    });
  }
}

interface SourceRoute {
  readonly enabled: readonly Destination[];
  readonly all: Route;
}

function chosen(enabled: readonly Destination[], integrations: unknown): Route {
  const destinations: string[] = [];
  const skipped: string[] = [];
  for (const { name, integrationName } of enabled) {
    (isEnabledFor(integrationName, integrations) ? destinations : skipped).push(name);
  }
  return { destinations, skipped };
}
