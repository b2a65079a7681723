import { isEnabledFor } from '../../webhook/integrations.js';
import type { Destination, Intake, Routing } from '../types.js';
import { recognise, type Recognised } from '../recognise.js';

/** An event that a destination of its source does not get. */
export interface Skip extends Recognised {
  readonly destination: string;
  readonly source: string;
  readonly messageId: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly code: 'integration_off' | 'source_disabled' | 'destination_disabled';
  readonly message: string;
}

/** Why events of an intake do not go to destinations of their source: for people who miss them. */
export function* skipsOf(
  { source, accepted, receivedAt }: Intake,
  routing: Routing,
): Generator<Skip> {
  const reached = routing.destinations.filter(({ name }) => source.destinations.includes(name));
  for (const { event, stamp } of accepted) {
    for (const destination of reached) {
      const why = reason(destination, source.isEnabled, event.value.integrations);
      if (!why) continue;
      const { messageId } = stamp;
      const about = { destination: destination.name, source: source.name, messageId, receivedAt };
      yield { ...about, ...recognise(event.value), ...why };
    }
  }
}

function reason(
  { integrationName, isEnabled }: Destination,
  isSourceEnabled: boolean,
  integrations: unknown,
): Pick<Skip, 'code' | 'message'> | undefined {
  if (!isSourceEnabled) return { code: 'source_disabled', message: 'its source is disabled' };
  if (!isEnabled) {
    return { code: 'destination_disabled', message: 'the destination was disabled when it came' };
  }
  if (isEnabledFor(integrationName, integrations)) return undefined;
  return { code: 'integration_off', message: `its integrations turn ${integrationName} off` };
}
