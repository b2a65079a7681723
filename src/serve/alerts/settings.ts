import { durationHint, durationMs } from '../../config/duration.js';
import type { Environment, Where } from '../../config/environment.js';
import { proxyOf } from '../../config/proxy.js';
import type { DestinationSection } from '../../config/schema.js';
import { UsageError } from '../../errors.js';
import { checkUrl } from '../../http/url.js';
import type { Scheme } from '../../sign/schemes/scheme.js';
import { destinationSigning } from '../destination-signing.js';
import type { AlertSettings } from '../types.js';

const defaultAfter = '15m';

/**
 * Where alerts go; undefined without any.
 *
 * @param destination whose values are expanded, and whose proxy was checked
 * @param path that of `alerts`
 * @param schemes those of the configuration file
 * @throws UsageError with file, line and key path; values are never shown
 */
export function alertSettings(
  { alerts: section, proxy: setting }: Pick<DestinationSection, 'alerts' | 'proxy'>,
  path: readonly PropertyKey[],
  where: Where,
  { schemes, env }: { readonly schemes: readonly Scheme[]; readonly env: Environment },
): AlertSettings | undefined {
  if (!section) return undefined;
  const { url, after = defaultAfter } = section;
  checkUrl(url, where([...path, 'url']), 'use a URL with a token in its path or query');
  const afterMs = durationMs(after);
  if (afterMs === undefined || afterMs === 0) {
    throw new UsageError(`${where([...path, 'after'])} must be a duration; ${durationHint}`);
  }
  const signing = destinationSigning(section, [{ url }], path, where, schemes);
  const proxy = proxyOf(url, setting, env);
  return { url, afterMs, ...(proxy !== undefined && { proxy }), ...(signing && { signing }) };
}

/** For logs: the path of a chat's webhook is its secret. */
export function shownAlertUrl(url: string): string {
  return new URL(url).origin;
}
