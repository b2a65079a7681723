import type { DestinationState } from '../../../src/api/serve.js';
import type { Outcome } from '../outcomes/outcome.js';

/**
 * The health of a destination: `paused` when all its endpoints asked for a pause, `down` when no
 * recent event was delivered, `waiting` when some events wait for a retry and others are delivered.
 */
export type Health = 'delivering' | 'waiting' | 'paused' | 'down' | 'off' | 'idle';

/** The newest outcomes that count as recent. */
const recent = 20;

/** @param outcomes the newest first, of all destinations */
export function healthOf(destination: DestinationState, outcomes: readonly Outcome[]): Health {
  if (!destination.enabled) return 'off';
  const { endpoints } = destination;
  if (endpoints.length > 0 && endpoints.every(({ pausedUntil }) => pausedUntil !== null)) {
    return 'paused';
  }
  if (endpoints.length > 0 && endpoints.every(({ down }) => down)) return 'down';
  const seen = newestOf(destination.name, outcomes);
  const getsThrough = seen.some(({ state }) => state === 'delivered');
  const isSilent = seen.length === 0 && destination.delivered === 0;
  if (!getsThrough && (destination.retrying > 0 || seen.length > 0)) return 'down';
  if (destination.retrying > 0) return 'waiting';
  return isSilent ? 'idle' : 'delivering';
}

function newestOf(name: string, outcomes: readonly Outcome[]): Outcome[] {
  const found: Outcome[] = [];
  for (const outcome of outcomes) {
    if (outcome.destination !== name || outcome.state === 'skipped') continue;
    found.push(outcome);
    if (found.length === recent) break;
  }
  return found;
}
