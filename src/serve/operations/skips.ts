import { integrationsOf, isEnabledFor } from '../../webhook/integrations.js';
import type { Event } from '../../events/event.js';
import { whyUnwanted } from '../wanted.js';
import type { Accepted, Destination, IngestBatch, Routing } from '../types.js';
import { queuesEvents } from '../switches.js';
import { identityOf } from '../event-identity.js';
import { notAttempted, type EventRecord } from '../event-record.js';

/** Why an event is not forwarded. */
interface Reason {
  readonly code:
    | 'integration_off'
    | 'not_wanted'
    | 'source_disabled'
    | 'destination_disabled'
    | 'no_destination';
  readonly message: string;
}

/**
 * The events of a batch that are not forwarded to destinations of their source, and why.
 *
 * @param repeated events that all destinations had before; they have no entry
 */
export function* skipsOf(
  { source, accepted, receivedAt }: IngestBatch,
  routing: Routing,
  repeated?: ReadonlySet<Accepted>,
): Generator<EventRecord> {
  const known = destinationsOf(routing);
  const reached = source.destinations.flatMap((name) => known.get(name) ?? []);
  for (const one of accepted) {
    if (repeated?.has(one)) continue;
    const integrations = integrationsOf(one.event);
    const skipped = (destination: string | null, why: Reason): EventRecord => ({
      ...recordOf(one, source.name, receivedAt),
      ...{ state: 'skipped', destination, ...why },
    });
    if (reached.length === 0) yield skipped(null, nowhere);
    for (const destination of reached) {
      const why = reason(destination, source.isEnabled, integrations, one.event);
      if (why) yield skipped(destination.name, why);
    }
  }
}

/** An event that no destination gets again. */
export function repeatOf(repeated: Accepted, { source, receivedAt }: IngestBatch): EventRecord {
  return {
    ...recordOf(repeated, source.name, receivedAt),
    ...{ state: 'repeated', destination: null, code: 'repeated' },
    message: 'the source had sent the same messageId within a day',
  };
}

function recordOf({ event, stamp: { messageId } }: Accepted, source: string, receivedAt: number) {
  const { type, name, user } = identityOf(event);
  return { ...notAttempted, source, messageId, type, name, user, receivedAt, at: receivedAt };
}

const byName = new WeakMap<Routing, ReadonlyMap<string, Destination>>();

/** By name; made once for each routing, since a batch reaches few of what may be thousands. */
function destinationsOf(routing: Routing): ReadonlyMap<string, Destination> {
  const found = byName.get(routing);
  if (found) return found;
  const made = new Map(routing.destinations.map((one) => [one.name, one]));
  byName.set(routing, made);
  return made;
}

const nowhere = {
  code: 'no_destination',
  message: 'the source has no destination',
} as const;

function reason(
  destination: Destination,
  isSourceEnabled: boolean,
  integrations: unknown,
  event: Event,
): Reason | undefined {
  if (!isSourceEnabled) return { code: 'source_disabled', message: 'the source is disabled' };
  if (!queuesEvents(destination)) {
    return {
      code: 'destination_disabled',
      message: 'the configuration disabled the destination when the event was received',
    };
  }
  const { integrationName } = destination;
  if (!isEnabledFor(integrationName, integrations)) {
    return {
      code: 'integration_off',
      message: `the event's integrations turn ${integrationName} off`,
    };
  }
  const message = whyUnwanted(destination, event);
  return message === undefined ? undefined : { code: 'not_wanted', message };
}
