import type { DestinationState, Overview, SourceState } from '../../../src/api/serve.js';

function sourcesOf(overview: Overview | undefined, destination: string): readonly SourceState[] {
  return (overview?.sources ?? []).filter(({ destinations }) => destinations.includes(destination));
}

/** Whether a destination gets only requests of raw sources. */
export function takesOnlyRequests(overview: Overview | undefined, destination: string): boolean {
  const sources = sourcesOf(overview, destination);
  return sources.length > 0 && sources.every(({ raw }) => raw !== undefined);
}

/** Whether a destination has got nothing since the start, while its sources have sent: it was added later. */
export function isEmpty(
  overview: Overview | undefined,
  { name, enabled, queued, retrying, deadLetters, delivered, lastFailure }: DestinationState,
): boolean {
  const hasNothing = queued + retrying + deadLetters + delivered === 0 && lastFailure === null;
  return enabled && hasNothing && sourcesOf(overview, name).some(({ received }) => received > 0);
}
