import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { TargetSettings } from '../../config/open-target.js';
import { credentialsOf, privateAddressOf, slowHashSalted } from '../../config/target-identity.js';
import { filterOf } from '../../webhook/endpoint-filters.js';
import { bytesWithFiles, jsonWithFiles } from './json-with-files.js';
import { nameOf } from './planned-input.js';
import type { Plan, PlannedTarget } from './plan.js';

/** Times of the selection as they were typed: `36h` means the same import on another day. */
export interface TypedTimes {
  readonly since: string | undefined;
  readonly until: string | undefined;
}

/**
 * What makes two imports the same run: files, target, and the options that change what is sent. Neither
 * the folder that it is called from, nor speed and limits, nor the state of the files. Of the target, queries,
 * secrets, write key and header values are in it by a slow hash, since it is stored, as is the key of `--hash`.
 */
export async function identityOf(
  plan: Plan,
  { since, until }: TypedTimes,
  settings: TargetSettings,
  hashKey?: string,
): Promise<string> {
  const times = { since: since ?? null, until: until ?? null };
  const rest = { ...otherPartsOf(plan), ...times };
  const keys = hashKey === undefined ? [] : [hashKey];
  const values = [...privateAddressOf(settings), ...credentialsOf(settings), ...keys];
  const hidden = await slowHashSalted(values, () => bytesWithFiles(() => pathsOf(plan), rest));
  const hash = createHash('sha256').update('[');
  for (const part of jsonWithFiles(pathsOf(plan), rest)) hash.update(part);
  return hash
    .update(`,${JSON.stringify(hidden)}]`)
    .digest('hex')
    .slice(0, 32);
}

/**
 * A hash of what a plan sends and where to. Two runs with the same one may still differ in what no plan has: queries,
 * secrets, write key and header values.
 */
export function publicHashOf(plan: Plan): string {
  const hash = createHash('sha256');
  for (const part of jsonWithFiles(pathsOf(plan), otherPartsOf(plan))) hash.update(part);
  return hash.digest('hex').slice(0, 32);
}

function* pathsOf({ files }: Plan): Generator<string> {
  for (const file of files) yield nameOf(file);
}

/** What a run is known by, besides its files. */
function otherPartsOf({ target, selection, changes, deadLettersChanged, ids, isOrdered }: Plan) {
  const { types, events, users, sample, where } = selection;
  const { map, steps } = changes ?? {};
  return {
    target: targetOf(target),
    ...(changes && { changes: { map, steps, deadLettersChanged } }),
    options: [types, events, users, sample, ids, isOrdered, ...(where ? [where] : [])],
  };
}

function targetOf(target: PlannedTarget): unknown[] {
  const { kind, ignoreIntegrations } = target;
  if (kind === 'collector') return [kind, target.endpoint, ignoreIntegrations];
  const { endpoints, body, allUrls } = target;
  const urls = endpoints.map(({ url }) => url);
  const filters = endpoints.map(({ settings }) => filterOf(settings) ?? {});
  const hasFilters = endpoints.some(({ settings }) => filterOf(settings));
  return [kind, urls, body, allUrls, ignoreIntegrations, ...(hasFilters ? [filters] : [])];
}

/** What the id of a run begins with: `History` for `/data/History.ndjson.gz`. */
export function runNameOf({ files }: Plan): string {
  return basename(files[0]?.path ?? '').replace(/\.(?:gz|ndjson|jsonl|json)\b/gi, '');
}
