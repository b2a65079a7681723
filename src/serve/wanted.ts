import type { Event } from '../events/event.js';
import { EndpointFilters, whyNobody } from '../webhook/endpoint-filters.js';
import type { Destination } from './types.js';

/** Compiled once for each destination, which is replaced when the configuration changes. */
const compiled = new WeakMap<Destination, EndpointFilters | null>();

/** What the endpoints of a destination want of all events; undefined: each wants all. */
export function filtersOf(destination: Destination): EndpointFilters | undefined {
  let filters = compiled.get(destination);
  if (filters === undefined) {
    filters = EndpointFilters.of(destination.endpoints) ?? null;
    compiled.set(destination, filters);
  }
  return filters ?? undefined;
}

/** Why no endpoint of a destination wants an event; undefined if one does. */
export function whyUnwanted(destination: Destination, event: Event): string | undefined {
  const filters = filtersOf(destination);
  if (filters?.wantedBy(event) !== 0) return undefined;
  return `no endpoint wants it: ${whyNobody(filters, destination.endpoints, event)}`;
}
