import { presets } from '../../sign/schemes/index.js';
import type { Secret } from '../../sign/schemes/scheme.js';
import { signingSecrets } from '../../webhook/signing.js';
import type { Destination, Source } from '../types.js';

/**
 * The secrets of all raw sources of a destination. Its app verifies signatures with them, and may repeat them in a
 * response, where they are hidden.
 */
export function sourceSecretsOf(
  destination: string,
  sources: readonly Source[],
): Pick<Destination, 'sourceSecrets'> {
  const sending = sources.filter(({ destinations }) => destinations.includes(destination));
  const secrets = new Set(sending.flatMap(secretsOf));
  return secrets.size === 0 ? {} : { sourceSecrets: [...secrets] };
}

function secretsOf({ raw }: Source): Secret[] {
  if (!raw) return [];
  const { scheme, secrets, own } = raw;
  const schemes = scheme === 'auto' ? [...presets.values(), ...own] : [scheme];
  return schemes.flatMap((one) => signingSecrets({ scheme: one, secrets }));
}
