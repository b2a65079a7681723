import type { OwnRequest } from '../delivery/own-request.js';
import type { Outgoing } from '../delivery/target.js';
import type { Event } from '../events/event.js';

/** Makes the requests of items that are no events, which are sent to the URLs of a target like those of events. */
export interface OwnRequests {
  /** Whether the item is one of these. */
  isFor(event: Event): boolean;
  /** The URLs that want it, as `EndpointFilters.wantedBy`; undefined: all. */
  wantedBy(event: Event): number | undefined;
  /** Its body, made again when it was dropped from memory. */
  bodyOf(event: Event): Buffer;
  /** One for each URL. Their headers are written at each attempt. */
  requestsOf(outgoing: Outgoing): readonly OwnRequest[];
}
