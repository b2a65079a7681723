import type { Log } from '../log.js';
import type { Routing } from '../types.js';

/** Warns of what is set to sign or verify requests of raw sources, and does neither. */
export function warnOfUnusedSigning({ sources, destinations }: Routing, log: Log): void {
  for (const { name, raw } of sources) {
    if (!raw || raw.scheme === 'auto' || raw.secrets.length > 0) continue;
    log.warn(
      { source: name, scheme: raw.scheme.name },
      `nothing is verified with a scheme alone; set sources.${name}.secret`,
    );
  }
  for (const { name, signing, resign } of destinations) {
    const own = sources.filter((source) => source.destinations.includes(name));
    if (!signing || own.length === 0 || own.some(({ raw }) => !raw)) continue;
    const next = resign ? '' : `sign them anew with destinations.${name}.resign, or `;
    log.warn(
      { destination: name },
      `sharedSecret signs events alone, and this destination gets requests of raw sources; ${next}remove sharedSecret`,
    );
  }
}
