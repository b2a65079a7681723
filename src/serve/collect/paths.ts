import { eventTypes, type EventType } from '../../events/event.js';

/** A type of call that the collection API accepts. */
export type CallType = Exclude<EventType, 'delete'>;

export const callTypes = eventTypes.filter((type): type is CallType => type !== 'delete');

/** Of server clients, mobile ones, the browser's in batching mode, RudderStack's beacon, Dittofeed. */
export const batchPaths = [
  '/v1/batch',
  '/v1/import',
  '/v1/b',
  '/beacon/v1/batch',
  '/api/public/apps/batch',
] as const;

export const pixelPath = '/v1/pixel/:type';
export const settingsPath = '/v1/projects/:key/settings';
/** What RudderStack's browser client loads before it starts. */
export const sourceConfigPath = '/sourceConfig';
export const metricsPath = '/v1/m';
export const deletePath = '/v1/delete';
export const healthPath = '/health';

/** Paths of single calls with their type: the documented ones, the browser client's, Jitsu's. */
export const singlePaths: ReadonlyMap<string, CallType> = new Map(
  callTypes.flatMap((type): [string, CallType][] => [
    [`/v1/${type}`, type],
    [`/v1/${type.slice(0, 1)}`, type],
    [`/api/s/${type}`, type],
    [`/api/s/s2s/${type}`, type],
  ]),
);

/** `track` for both `track` and `t`. */
export function callTypeOf(word: string): CallType | undefined {
  return singlePaths.get(`/v1/${word}`);
}

/** The method that a path accepts; undefined for an unknown path. */
export function methodFor(url: string): 'GET' | 'POST' | undefined {
  const path = normalPath(url);
  if (posted.has(path)) return 'POST';
  return gotten.test(path) ? 'GET' : undefined;
}

const posted: ReadonlySet<string> = new Set([
  ...batchPaths,
  ...singlePaths.keys(),
  metricsPath,
  deletePath,
]);

const gotten = /^\/(?:health|sourceConfig|v1\/pixel\/[^/]+|v1\/projects\/[^/]+\/settings)$/;

/**
 * As the router normalizes it: a base URL that ends in a slash produces a double slash, clients of
 * proxies send the host, too, and some escape more than needed.
 */
function normalPath(url: string): string {
  const written = url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
  const path = unescaped(written.replace(/\/+/g, '/'));
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

function unescaped(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
