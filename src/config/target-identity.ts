import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Secret } from '../sign/schemes/scheme.js';
import type { StaticHeaders } from '../webhook/endpoint.js';
import { withoutQuery } from '../http/url.js';
import { filterOf } from '../webhook/endpoint-filters.js';
import { headerPairs } from '../webhook/settings.js';
import type { TargetSettings } from './open-target.js';

/** About 50 ms and 16 MiB for each guess of whoever reads a state. */
const cost = { N: 2 ** 14, r: 8, p: 1 };
const hashBytes = 16;

const derive = promisify<string, string | Buffer, number, typeof cost, Buffer>(scrypt);

/**
 * A slow hash, as hex, of values that must not be found in a state; null without values. Its salt is what else the
 * state is known by, as JSON, and nothing random, so that all machines get the same hash: guesses made for one state
 * are of no use for another.
 */
export async function slowHash(values: readonly unknown[], salt: unknown): Promise<string | null> {
  return slowHashSalted(values, () => JSON.stringify(salt));
}

/** As `slowHash`, with a salt that may be long: it is only made if there are values. */
export async function slowHashSalted(
  values: readonly unknown[],
  saltJson: () => string | Buffer,
): Promise<string | null> {
  if (values.length === 0) return null;
  const key = await derive(JSON.stringify(values), saltJson(), hashBytes, cost);
  return key.toString('hex');
}

/** Where events go, as part of the name of a state. */
export interface Address {
  /** Kind, URLs without queries, and what each gets of the events if there are filters. */
  readonly target: readonly string[];
  /** A slow hash of the queries and the write key; null without any. */
  readonly hidden: string | null;
}

/** `salt`: for `slowHash`; what else the state is known by. */
export async function addressOf(settings: TargetSettings, salt: unknown): Promise<Address> {
  const urls =
    settings.kind === 'collector' ? [settings.endpoint] : settings.endpoints.map(({ url }) => url);
  const target = [settings.kind, ...urls.map(withoutQuery), ...filtersOf(settings)];
  return { target, hidden: await slowHash(privateAddressOf(settings), [salt, target]) };
}

/** What each endpoint gets of the events, as JSON; none if all get all. */
function filtersOf(settings: TargetSettings): readonly string[] {
  if (settings.kind === 'collector') return [];
  const filters = settings.endpoints.map((endpoint) => filterOf(endpoint) ?? {});
  return settings.endpoints.some(filterOf) ? [JSON.stringify(filters)] : [];
}

/** The parts of an address that must not be stored: queries of URLs, and the write key. */
export function privateAddressOf(settings: TargetSettings): readonly string[] {
  if (settings.kind === 'collector') return [searchOf(settings.endpoint), settings.writeKey];
  const queries = settings.endpoints.map(({ url }) => searchOf(url));
  return queries.some((query) => query !== '') ? queries : [];
}

/** What requests prove themselves by: the shared secrets, and the static headers of each URL. */
export function credentialsOf(settings: TargetSettings): readonly unknown[] {
  if (settings.kind === 'collector') return [];
  // The scheme and a second way to sign are no part of it: the same events go to the same URLs.
  const secrets = settings.signing?.[0]?.secrets ?? [];
  const headers = settings.endpoints.map((endpoint) => sortedHeaders(endpoint.headers));
  if (secrets.length === 0 && headers.flat().length === 0) return [];
  return [secrets.map(secretText), headers];
}

/** By their names in lower case; values of one name keep their order. */
export function sortedHeaders(headers: StaticHeaders | undefined): [name: string, value: string][] {
  return headerPairs(headers)
    .map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .sort(([a], [b]) => (a === b ? 0 : a < b ? -1 : 1));
}

function searchOf(url: string): string {
  return new URL(url).search;
}

function secretText(secret: Secret): string {
  return typeof secret === 'string' ? `text ${secret}` : Buffer.from(secret).toString('base64');
}
