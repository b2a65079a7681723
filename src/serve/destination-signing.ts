import type { Where } from '../config/environment.js';
import type { DestinationSection } from '../config/schema.js';
import { UsageError } from '../errors.js';
import { requestSigner, type SigningSettings } from '../sign/request-signer.js';
import { schemeNamed } from '../sign/schemes/index.js';
import type { Scheme } from '../sign/schemes/scheme.js';
import type { Endpoint } from '../webhook/endpoint.js';
import { checkStaticHeaders } from '../webhook/signing.js';

/**
 * How the requests of a destination, or its alerts, are signed; undefined: not at all.
 *
 * @param section whose values are expanded
 * @param own the schemes of the configuration file
 * @throws UsageError with file, line and key path; secrets are never shown
 */
export function destinationSigning(
  { sharedSecret, scheme: name }: Pick<DestinationSection, 'sharedSecret' | 'scheme'>,
  endpoints: readonly Endpoint[],
  path: readonly PropertyKey[],
  where: Where,
  own: readonly Scheme[],
): SigningSettings[] | undefined {
  if (sharedSecret === undefined) {
    if (name === undefined) return undefined;
    throw new UsageError(`${where([...path, 'scheme'])} needs a sharedSecret; add it`);
  }
  const scheme = schemeNamed(name ?? 'x-signature', own, where([...path, 'scheme']));
  const settings = { scheme, secrets: [sharedSecret].flat() };
  const signer = requestSigner(settings, where([...path, 'sharedSecret']));
  checkStaticHeaders(endpoints, [signer], where([...path, 'endpoints']));
  return [settings];
}
