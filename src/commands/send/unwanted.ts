import { unwantedOutcome, type Outcome } from '../../delivery/outcome.js';
import type { Outgoing } from '../../delivery/target.js';
import { withoutQuery } from '../../http/url.js';
import type { Endpoint } from '../../webhook/endpoint.js';
import { EndpointFilters, whyNobody } from '../../webhook/endpoint-filters.js';
import type { Io } from '../shared/command.js';
import { say } from '../shared/output.js';

/** What the endpoints of a target say about an event that not all of them want. */
export interface Unwanted {
  /** Those that do not want it, and why, in their order. */
  readonly urls: readonly { readonly url: string; readonly reason: string }[];
  /** The endpoints that want it. */
  readonly wanting: readonly number[];
  /** How sending the event ends, if no endpoint wants it. */
  readonly outcome: Outcome | undefined;
}

/** Undefined if each endpoint wants the event. */
export function unwantedOf(
  endpoints: readonly Endpoint[],
  { event, stamp }: Pick<Outgoing, 'event' | 'stamp'>,
): Unwanted | undefined {
  const filters = EndpointFilters.of(endpoints);
  if (!filters) return undefined;
  const reasons = endpoints.map((_, index) => filters.whyNot(event, index));
  const urls = reasons.flatMap((reason, index) =>
    reason === undefined ? [] : [{ url: withoutQuery(endpoints[index]!.url), reason }],
  );
  if (urls.length === 0) return undefined;
  const wanting = [...reasons.keys()].filter((index) => reasons[index] === undefined);
  const message = `no endpoint wants it: ${whyNobody(filters, endpoints, event)}`;
  const outcome = { ...unwantedOutcome(stamp.messageId), message };
  return { urls, wanting, outcome: wanting.length === 0 ? outcome : undefined };
}

/** A line for each URL that an event is not sent to, while others get it. */
export function noteUnwanted({ urls, outcome }: Unwanted, io: Io): void {
  if (outcome) return;
  for (const { url, reason } of urls) say(io, `not sent to ${url}: ${reason}`);
}
