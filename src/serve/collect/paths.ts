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

/** The type of the call. */
export const pixelPath = /^\/v1\/pixel\/([^/]+)$/;
/** The write key. */
export const settingsPath = /^\/v1\/projects\/([^/]+)\/settings$/;
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
