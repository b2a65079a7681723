import { durationHint, durationMs } from '../../config/duration.js';
import type { Where } from '../../config/environment.js';
import type { AlertsSection } from '../../config/schema.js';
import { UsageError } from '../../errors.js';
import { checkUrl } from '../../http/url.js';
import type { Scheme } from '../../sign/schemes/scheme.js';
import { destinationSigning } from '../destination-signing.js';
import type { AlertSettings } from '../types.js';

const defaultAfter = '15m';

/**
 * Where alerts go; undefined without any.
 *
 * @param section whose values are expanded
 * @param own the schemes of the configuration file
 * @throws UsageError with file, line and key path; values are never shown
 */
export function alertSettings(
  section: AlertsSection | undefined,
  path: readonly PropertyKey[],
  where: Where,
  own: readonly Scheme[],
): AlertSettings | undefined {
  if (!section) return undefined;
  const { url, after = defaultAfter } = section;
  checkUrl(url, where([...path, 'url']), 'use a URL with a token in its path or query');
  const afterMs = durationMs(after);
  if (afterMs === undefined || afterMs === 0) {
    throw new UsageError(`${where([...path, 'after'])} must be a duration; ${durationHint}`);
  }
  const signing = destinationSigning(section, [{ url }], path, where, own);
  return { url, afterMs, ...(signing && { signing }) };
}

/** For logs: the path of a chat's webhook is its secret. */
export function shownAlertUrl(url: string): string {
  return new URL(url).origin;
}
