import { isWanted } from '../../delivery/wanted.js';
import type { Event } from '../../events/event.js';
import { withoutQuery } from '../../http/url.js';
import type { Endpoint } from '../../webhook/endpoint.js';
import { EndpointFilters } from '../../webhook/endpoint-filters.js';

/** What a plan says of a URL. */
export interface PlanEndpoint {
  /** Without its query. */
  readonly url: string;
  readonly events: number;
}

/** How many events each URL wants. */
export class WantedCounts {
  readonly #endpoints: readonly Endpoint[];
  readonly #filters: EndpointFilters;
  readonly #counts: number[];
  unwanted = 0;

  private constructor(endpoints: readonly Endpoint[], filters: EndpointFilters) {
    this.#endpoints = endpoints;
    this.#filters = filters;
    this.#counts = endpoints.map(() => 0);
  }

  /** Undefined if every one wants all. */
  static of(endpoints: readonly Endpoint[]): WantedCounts | undefined {
    const filters = EndpointFilters.of(endpoints);
    return filters && new WantedCounts(endpoints, filters);
  }

  /** Returns whether one of them wants the event. */
  add(event: Event): boolean {
    const wanted = this.#filters.wantedBy(event);
    if (wanted === 0) this.unwanted++;
    for (const index of this.#counts.keys()) if (isWanted(wanted, index)) this.#counts[index]!++;
    return wanted !== 0;
  }

  list(): PlanEndpoint[] {
    return this.#endpoints.map(({ url }, index) => ({
      url: withoutQuery(url),
      events: this.#counts[index]!,
    }));
  }
}
