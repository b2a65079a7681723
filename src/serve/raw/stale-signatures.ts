import { durationText } from '../../output/numbers.js';
import type { Log } from '../log.js';
import type { Routing } from '../types.js';

/**
 * Warns of each destination that gets requests with a signature that is refused once it is old, and does not sign them
 * anew: what is retried for longer, or waits, would fail there.
 */
export function warnOfStaleSignatures({ sources, destinations }: Routing, log: Log): void {
  for (const { name, raw, destinations: names } of sources) {
    if (!raw || raw.scheme === 'auto' || raw.scheme.toleranceMs === undefined) continue;
    const kept = destinations.filter((one) => names.includes(one.name) && !one.resign);
    for (const destination of kept) {
      log.warn(
        { source: name, destination: destination.name, scheme: raw.scheme.name },
        `signatures of this scheme are valid for ${durationText(raw.scheme.toleranceMs / 1000)}: what is delivered later is refused by an app that verifies it; sign anew with destinations.${destination.name}.resign`,
      );
    }
  }
}
