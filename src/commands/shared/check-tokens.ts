import { systemClock } from '../../clock.js';
import type { TargetSettings } from '../../config/open-target.js';

/**
 * Fetches the tokens of endpoints, before anything is sent.
 * @throws UsageError for credentials that are refused
 */
export async function checkTokens(settings: TargetSettings): Promise<void> {
  if (settings.kind === 'collector') return;
  if (!settings.endpoints.some(({ auth }) => auth && 'oauth2' in auth)) return;
  const { fetchTokens } = await import('../../webhook/tokens.js');
  await fetchTokens(settings.endpoints, { ca: settings.ca, clock: systemClock });
}
