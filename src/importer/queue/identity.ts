import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Plan, PlannedTarget } from './plan.js';

/** Times of the selection as they were typed: `36h` means the same import on another day. */
export interface TypedTimes {
  readonly since: string | undefined;
  readonly until: string | undefined;
}

/**
 * What makes two imports the same run: files, target, and the options that change what is sent. Neither
 * the folder that it is called from, nor speed and limits, nor the state of the files.
 */
export function identityOf(plan: Plan, { since, until }: TypedTimes): string {
  const { files, target, selection, ids, isOrdered } = plan;
  const { types, events, users, sample } = selection;
  const known = {
    files: files.map(({ path }) => path),
    target: targetOf(target),
    options: [since, until, types, events, users, sample, ids, isOrdered],
  };
  return createHash('sha256').update(JSON.stringify(known)).digest('hex').slice(0, 32);
}

function targetOf(target: PlannedTarget): unknown[] {
  const { ignoreIntegrations } = target;
  if (target.kind === 'collector') {
    const { endpoint, queryCheck, writeKeyCheck } = target;
    return [endpoint, queryCheck, writeKeyCheck, ignoreIntegrations];
  }
  const { endpoints, signing, body, allUrls } = target;
  const urls = endpoints.map(({ url, queryCheck }) => [url, queryCheck]);
  // The scheme and a second way to sign are no part of it: the same events go to the same URLs.
  const secretCheck = signing[0]?.secretCheck ?? null;
  return [urls, secretCheck, body, allUrls, ignoreIntegrations];
}

/** What the id of a run begins with: `History` for `/data/History.ndjson.gz`. */
export function runNameOf({ files }: Plan): string {
  return basename(files[0]?.path ?? '').replace(/\.(?:gz|ndjson|jsonl|json)\b/gi, '');
}
