import type { Log } from './log.js';
import type { Destination, Routing } from './types.js';

/** Logs each destination whose certificates cannot be used. */
export function logRefusals({ destinations }: Routing, log: Log): void {
  for (const { name, refusal } of destinations) {
    if (refusal === undefined) continue;
    log.error({ destination: name, reason: refusal }, 'certificates cannot be used; events wait');
  }
}

/**
 * The routing of a reload. A destination whose certificates cannot be used now stays as it was, if it could be used
 * before: a certificate and its key are rarely replaced at the same time.
 */
export function keepUsable(routing: Routing, before: Routing, log: Log): Routing {
  const usable = new Map(
    before.destinations.flatMap((one) => (one.refusal === undefined ? [[one.name, one]] : [])),
  );
  const kept = (destination: Destination): Destination => {
    const { name, refusal, sourceSecrets } = destination;
    const known = refusal === undefined ? undefined : usable.get(name);
    if (!known) return destination;
    const fields = { destination: name, reason: refusal };
    log.error(fields, 'certificates cannot be used; keeping the previous ones, and all settings');
    // The secrets of its sources are new: a response may contain them, and must not show them.
    return { ...known, ...(sourceSecrets && { sourceSecrets }) };
  };
  return { ...routing, destinations: routing.destinations.map(kept) };
}
