import type { Event } from '../events/event.js';
import { selector } from '../events/select.js';
import { withoutQuery } from '../http/url.js';
import type { Endpoint, EndpointFilter } from './endpoint.js';

type Test = (event: Event) => boolean;

/** Which endpoints of a target want an event. The texts of the filters are compiled once. */
export class EndpointFilters {
  /** A bit for each endpoint. */
  readonly all: number;
  readonly #filters: readonly EndpointFilter[];
  readonly #tests: readonly (Test | undefined)[];

  private constructor(filters: readonly EndpointFilter[]) {
    this.#filters = filters;
    this.#tests = filters.map((filter) => (isFilter(filter) ? testOf(filter) : undefined));
    this.all = 2 ** filters.length - 1;
  }

  /**
   * Undefined if each endpoint wants all events, so that such a target need not ask.
   * @throws UsageError for a condition that cannot be read
   */
  static of(endpoints: readonly EndpointFilter[]): EndpointFilters | undefined {
    return endpoints.some(isFilter) ? new EndpointFilters(endpoints) : undefined;
  }

  /** The endpoints that want an event: bit 0 is the first one; 0: none does. */
  wantedBy(event: Event): number {
    let wanted = 0;
    for (let i = 0; i < this.#tests.length; i++) {
      if (this.#tests[i]?.(event) ?? true) wanted |= 1 << i;
    }
    return wanted;
  }

  /** Why the endpoint with this index does not want an event, as the end of a sentence; undefined if it does. */
  whyNot(event: Event, index: number): string | undefined {
    const { types, events, where = [] } = this.#filters[index]!;
    if (types && !testOf({ types })(event)) return `its types are ${types.join(', ')}`;
    if (events && !testOf({ events })(event)) return `its events are ${events.join(', ')}`;
    const failed = where.find((text) => !testOf({ where: [text] })(event));
    return failed === undefined ? undefined : `its condition ${failed} does not hold`;
  }
}

/** The filter of an endpoint alone, to be compared or shown; undefined if it wants all events. */
export function filterOf({ types, events, where }: EndpointFilter): EndpointFilter | undefined {
  const filter = { ...(types && { types }), ...(events && { events }), ...(where && { where }) };
  return isFilter(filter) ? filter : undefined;
}

/** Why no endpoint wants an event: of one its reason, of several each with its URL. */
export function whyNobody(
  filters: EndpointFilters,
  endpoints: readonly Pick<Endpoint, 'url'>[],
  event: Event,
): string {
  const reasons = endpoints.map(({ url }, index) => {
    const reason = filters.whyNot(event, index);
    return endpoints.length === 1 ? reason : `${withoutQuery(url)}: ${reason}`;
  });
  return reasons.join('; ');
}

/** The same endpoint, which gets all events. */
export function withoutFilter(endpoint: Endpoint): Endpoint {
  const all = { ...endpoint };
  delete all.types;
  delete all.events;
  delete all.where;
  return all;
}

function isFilter({ types, events, where = [] }: EndpointFilter): boolean {
  return types !== undefined || events !== undefined || where.length > 0;
}

function testOf({ types, events, where }: EndpointFilter): Test {
  return selector({ ...(types && { types }), ...(events && { events }), ...(where && { where }) });
}
