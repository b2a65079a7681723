import type { Event } from '../events/event.js';
import { integrationsOf, isEnabledFor } from '../webhook/integrations.js';
import { EndpointFilters, whyNobody } from '../webhook/endpoint-filters.js';
import { RawFilters } from './raw/filters.js';
import { isRaw, rawOf } from './raw/raw-request.js';
import type { Destination } from './types.js';

/** What the endpoints of a destination want: undefined: each wants all. */
interface Filters {
  readonly ofEvents: EndpointFilters | undefined;
  readonly ofRequests: RawFilters | undefined;
}

/** Compiled once for each destination, which is replaced when the configuration changes. */
const compiled = new WeakMap<Destination, Filters>();

/** Whether an endpoint of a destination does not want everything. */
export function hasFilters(destination: Destination): boolean {
  return filtersOf(destination).ofEvents !== undefined;
}

/** Whether an endpoint of a destination wants an event, or a request. */
export function isWanted(destination: Destination, event: Event): boolean {
  const { ofEvents, ofRequests } = filtersOf(destination);
  if (isRaw(event)) return ofRequests?.wantedBy(rawOf(event)) !== 0;
  return ofEvents?.wantedBy(event) !== 0;
}

/** Whether an event goes to a destination of its source: its integrations allow it, and an endpoint wants it. */
export function isTaken(
  destination: Destination,
  event: Event,
  integrations: unknown = integrationsOf(event),
): boolean {
  return isEnabledFor(destination.integrationName, integrations) && isWanted(destination, event);
}

/** Why no endpoint of a destination wants an event, or a request; undefined if one does. */
export function whyUnwanted(destination: Destination, event: Event): string | undefined {
  if (isWanted(destination, event)) return undefined;
  const { ofEvents, ofRequests } = filtersOf(destination);
  const { endpoints } = destination;
  const why = isRaw(event)
    ? ofRequests!.whyNobody(rawOf(event), endpoints)
    : whyNobody(ofEvents!, endpoints, event);
  return `no endpoint wants it: ${why}`;
}

function filtersOf(destination: Destination): Filters {
  let filters = compiled.get(destination);
  if (!filters) {
    const { endpoints } = destination;
    filters = { ofEvents: EndpointFilters.of(endpoints), ofRequests: RawFilters.of(endpoints) };
    compiled.set(destination, filters);
  }
  return filters;
}
