import { integrationsOf, isEnabledFor } from '../../webhook/integrations.js';
import type { Accepted, Destination, IngestBatch, Routing } from '../types.js';
import { identityOf, type EventIdentity } from '../event-identity.js';

/** An event that is not forwarded to a destination of its source. */
export interface Skip extends EventIdentity {
  /** Null when the source has none. */
  readonly destination: string | null;
  readonly source: string;
  readonly messageId: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly code: 'integration_off' | 'source_disabled' | 'destination_disabled' | 'no_destination';
  readonly message: string;
}

/**
 * Why events of a batch are not forwarded to destinations of their source.
 *
 * @param repeated events that all destinations had before; they have no entry
 */
export function* skipsOf(
  { source, accepted, receivedAt }: IngestBatch,
  routing: Routing,
  repeated?: ReadonlySet<Accepted>,
): Generator<Skip> {
  const known = destinationsOf(routing);
  const reached = source.destinations.flatMap((name) => known.get(name) ?? []);
  for (const one of accepted) {
    if (repeated?.has(one)) continue;
    const { event, stamp } = one;
    const integrations = integrationsOf(event);
    const { messageId } = stamp;
    if (reached.length === 0) {
      const about = { destination: null, source: source.name, messageId, receivedAt };
      yield { ...about, ...identityOf(event), ...nowhere };
    }
    for (const destination of reached) {
      const why = reason(destination, source.isEnabled, integrations);
      if (!why) continue;
      const about = { destination: destination.name, source: source.name, messageId, receivedAt };
      yield { ...about, ...identityOf(event), ...why };
    }
  }
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
  { integrationName, isEnabled }: Destination,
  isSourceEnabled: boolean,
  integrations: unknown,
): Pick<Skip, 'code' | 'message'> | undefined {
  if (!isSourceEnabled) return { code: 'source_disabled', message: 'the source is disabled' };
  if (!isEnabled) {
    return {
      code: 'destination_disabled',
      message: 'the destination was disabled when the event was received',
    };
  }
  if (isEnabledFor(integrationName, integrations)) return undefined;
  return {
    code: 'integration_off',
    message: `the event's integrations turn ${integrationName} off`,
  };
}
