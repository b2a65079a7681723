import type { TargetSettings } from '../../config/open-target.js';
import type { Endpoint } from '../../webhook/endpoint.js';

/** The part of a whole number that one of several threads has: the parts of all add up to `whole`. */
export function threadShare(whole: number, thread: number, threads: number): number {
  return Math.floor((whole * (thread + 1)) / threads) - Math.floor((whole * thread) / threads);
}

/**
 * In how many threads the events of a target can be sent, at most: each needs at least one of
 * the connections that an endpoint allows, and a token is fetched once for all requests.
 */
export function mostThreads(settings: TargetSettings): number {
  if (settings.kind === 'collector') return Infinity;
  if (fetchesTokens(settings)) return 1;
  return Math.min(...settings.endpoints.map(({ concurrency = Infinity }) => concurrency));
}

/** Whether its requests need tokens, which only the main thread fetches: once for the process. */
export function fetchesTokens(settings: TargetSettings): boolean {
  if (settings.kind === 'collector') return false;
  return settings.endpoints.some(({ auth }) => auth && 'oauth2' in auth);
}

/** The settings of a target with another form of each endpoint. */
export function withEndpoints(
  settings: TargetSettings,
  change: (endpoint: Endpoint) => Endpoint,
): TargetSettings {
  if (settings.kind === 'collector') return settings;
  return { ...settings, endpoints: settings.endpoints.map(change) };
}

/** The settings for one of several threads: its part of what the endpoints allow for themselves. */
export function settingsOfThread(
  settings: TargetSettings,
  thread: number,
  threads: number,
): TargetSettings {
  return withEndpoints(settings, (endpoint) => {
    const { concurrency, rate } = endpoint;
    return {
      ...endpoint,
      ...(concurrency !== undefined && { concurrency: threadShare(concurrency, thread, threads) }),
      ...(rate !== undefined && { rate: rate / threads }),
    };
  });
}
