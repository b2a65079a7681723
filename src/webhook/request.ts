import { version } from '../version.js';
import { fixedAuthorization } from './auth.js';
import type { Endpoint } from './endpoint.js';
import { headerPairs } from './settings.js';

type Pairs = readonly (readonly [name: string, value: string])[];

/** Names the replay that an event belongs to. */
export const replayHeader = 'X-Evfwd-Replay';

/** The headers of every request to an endpoint, except the signature and a token that is fetched. */
export function fixedHeaders(endpoint: Endpoint): Pairs {
  const authorization = endpoint.auth && fixedAuthorization(endpoint.auth);
  return [
    ['User-Agent', `evfwd/${version}`],
    ['Content-Type', 'application/json'],
    ...headerPairs(endpoint.headers),
    ...(authorization === undefined ? [] : [['Authorization', authorization] as const]),
  ];
}
