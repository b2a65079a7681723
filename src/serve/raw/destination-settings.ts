import { durationHint, durationMs } from '../../config/duration.js';
import type { Where } from '../../config/environment.js';
import type { DestinationSection } from '../../config/schema.js';
import { UsageError } from '../../errors.js';
import { headersOfSchemes } from '../../replay/sign-anew.js';
import { requestSigner } from '../../sign/request-signer.js';
import { presets, schemeNamed } from '../../sign/schemes/index.js';
import type { Scheme } from '../../sign/schemes/scheme.js';
import type { Endpoint } from '../../webhook/endpoint.js';
import { checkStaticHeaders } from '../../webhook/signing.js';
import { maxWaitMs } from '../store/stored.js';
import type { Destination, Source } from '../types.js';

/**
 * How the requests of raw sources are signed anew for a destination.
 *
 * @param section whose values are expanded
 * @param own the schemes of the configuration file
 * @throws UsageError with file, line and key path; secrets are never shown
 */
export function resigningOf(
  { resign }: Pick<DestinationSection, 'resign'>,
  endpoints: readonly Endpoint[],
  path: readonly PropertyKey[],
  where: Where,
  own: readonly Scheme[],
): Pick<Destination, 'resign'> {
  if (!resign) return {};
  const at = (key: string): string => where([...path, 'resign', key]);
  const signing = {
    scheme: schemeNamed(resign.scheme, own, at('scheme')),
    secrets: [resign.secret].flat(),
  };
  checkStaticHeaders(
    endpoints,
    [requestSigner(signing, at('secret'))],
    where([...path, 'endpoints']),
  );
  const replaced = [...headersOfSchemes([...presets.values(), ...own])];
  return { resign: { signing, replaced } };
}

/** @throws UsageError for a window that is longer than events are kept */
export function retryWindowOf(
  { retryWindow }: Pick<DestinationSection, 'retryWindow'>,
  path: readonly PropertyKey[],
  where: Where,
): Pick<Destination, 'retryWindowMs'> {
  if (retryWindow === undefined) return {};
  const retryWindowMs = durationMs(retryWindow);
  const place = where([...path, 'retryWindow']);
  if (retryWindowMs === undefined)
    throw new UsageError(`${place} is not a duration; ${durationHint}`);
  if (retryWindowMs > maxWaitMs) {
    throw new UsageError(
      `${place} is longer than 7d, for which anything waits at most; use 7d or less`,
    );
  }
  return { retryWindowMs };
}

/** @throws UsageError for a raw source with a destination that sends batches, which are made of events */
export function checkNoBatches(
  sources: readonly Source[],
  destinations: Readonly<Record<string, DestinationSection>>,
  where: Where,
): void {
  for (const { name, raw, destinations: names } of sources) {
    if (!raw) continue;
    const batching = names.find((one) => destinations[one]?.batch !== undefined);
    if (batching === undefined) continue;
    throw new UsageError(
      `${where(['destinations', batching, 'batch'])} is for events, and the raw source "${name}" has requests for this destination; remove batch, or give the source another destination`,
    );
  }
}
