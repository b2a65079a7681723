import { builtHere, eventTypes, type Event, type EventType } from '../events/event.js';
import { parseObject, Refusal, trim } from '../events/parse.js';
import { TextEvent } from '../events/text-event.js';
import type { EndpointFilter } from '../webhook/endpoint.js';
import { EndpointFilters } from '../webhook/endpoint-filters.js';

/**
 * Which endpoints want a request that is sent as it is. The filters see a body that is an analytics event as that event. Of
 * any other body `types` and `events` say nothing, and `where` looks at the members of a JSON object.
 */
export class RequestFilters {
  readonly #ofEvents: EndpointFilters;
  /** Undefined: without conditions. */
  readonly #ofOthers: EndpointFilters | undefined;

  private constructor(ofEvents: EndpointFilters, endpoints: readonly EndpointFilter[]) {
    this.#ofEvents = ofEvents;
    this.#ofOthers = EndpointFilters.of(endpoints.map(({ where = [] }) => ({ where })));
  }

  /** Undefined if each endpoint wants everything. @throws UsageError for a condition that cannot be read */
  static of(endpoints: readonly EndpointFilter[]): RequestFilters | undefined {
    const ofEvents = EndpointFilters.of(endpoints);
    return ofEvents && new RequestFilters(ofEvents, endpoints);
  }

  /** As of `EndpointFilters`. */
  wantedBy(body: Buffer): number {
    const { event, filters } = this.#appliedTo(body);
    return filters?.wantedBy(event) ?? this.#ofEvents.all;
  }

  /** As of `EndpointFilters`. */
  whyNot(body: Buffer, index: number): string | undefined {
    const { event, filters } = this.#appliedTo(body);
    return filters?.whyNot(event, index);
  }

  #appliedTo(body: Buffer): { event: Event; filters: EndpointFilters | undefined } {
    const text = trim(body);
    const value = parseObject(text, false);
    if (value instanceof Refusal) return { event: asEvent(noMembers), filters: this.#ofOthers };
    const type = eventTypes.find((one) => one === value.type);
    return { event: asEvent(text, type), filters: type ? this.#ofEvents : this.#ofOthers };
  }
}

const noMembers = Buffer.from('{}');

/** For the conditions, which look at members alone. */
function asEvent(text: Buffer, type: EventType = 'track'): Event {
  return new TextEvent(text, type, builtHere('', text.length));
}
