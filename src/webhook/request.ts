import { version } from '../version.js';
import type { Endpoint } from './endpoint.js';
import { headerPairs } from './settings.js';

type Pairs = readonly (readonly [name: string, value: string])[];

/** The headers of every request to an endpoint, except the signature. */
export function fixedHeaders(endpoint: Endpoint): Pairs {
  return [
    ['User-Agent', `evfwd/${version}`],
    ['Content-Type', 'application/json'],
    ...headerPairs(endpoint.headers),
  ];
}
