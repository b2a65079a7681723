import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { chunksOf } from '../../collections/chunks.js';
import type { TargetSettings } from '../../config/open-target.js';
import { credentialsOf, privateAddressOf, slowHashBeside } from '../../config/target-identity.js';
import type { Plan, PlannedFile, PlannedTarget } from './plan.js';

/** Times of the selection as they were typed: `36h` means the same import on another day. */
export interface TypedTimes {
  readonly since: string | undefined;
  readonly until: string | undefined;
}

/**
 * What makes two imports the same run: files, target, and the options that change what is sent. Neither
 * the folder that it is called from, nor speed and limits, nor the state of the files. Of the target, queries,
 * secrets, write key and header values are in it by a slow hash, since it is stored.
 */
export async function identityOf(
  plan: Plan,
  typed: TypedTimes,
  settings: TargetSettings,
): Promise<string> {
  const values = [...privateAddressOf(settings), ...credentialsOf(settings)];
  const hidden = await slowHashBeside(values, () =>
    Buffer.concat(Array.from(knownJson(plan, typed), (part) => Buffer.from(part))),
  );
  const hash = createHash('sha256').update('[');
  for (const part of knownJson(plan, typed)) hash.update(part);
  return hash
    .update(`,${JSON.stringify(hidden)}]`)
    .digest('hex')
    .slice(0, 32);
}

/** Files whose paths are hashed at once. */
const filesAtOnce = 1_000;

/** The JSON of what is public of an import, in parts: its files may be very many. */
function* knownJson(plan: Plan, { since, until }: TypedTimes): Generator<string> {
  yield '{"files":[';
  let separator = '';
  for (const part of chunksOf(plan.files, filesAtOnce)) {
    yield separator + JSON.stringify(pathsOf(part)).slice(1, -1);
    separator = ',';
  }
  const rest = { ...otherPartsOf(plan), since: since ?? null, until: until ?? null };
  yield `],${JSON.stringify(rest).slice(1)}`;
}

/** Whether two runs send the same to the same URLs, but for what no plan has: queries, secrets, header values. */
export function sendsTheSame(a: Plan, b: Plan): boolean {
  return isDeepStrictEqual(publicPartsOf(a), publicPartsOf(b));
}

function publicPartsOf(plan: Plan) {
  return { files: pathsOf(plan.files), ...otherPartsOf(plan) };
}

function pathsOf(files: readonly PlannedFile[]): string[] {
  return files.map(({ path }) => path);
}

/** All but the files. */
function otherPartsOf({ target, selection, ids, isOrdered }: Plan) {
  const { types, events, users, sample } = selection;
  return {
    target: targetOf(target),
    options: [types, events, users, sample, ids, isOrdered],
  };
}

function targetOf(target: PlannedTarget): unknown[] {
  const { kind, ignoreIntegrations } = target;
  if (kind === 'collector') return [kind, target.endpoint, ignoreIntegrations];
  const { endpoints, body, allUrls } = target;
  return [kind, endpoints.map(({ url }) => url), body, allUrls, ignoreIntegrations];
}

/** What the id of a run begins with: `History` for `/data/History.ndjson.gz`. */
export function runNameOf({ files }: Plan): string {
  return basename(files[0]?.path ?? '').replace(/\.(?:gz|ndjson|jsonl|json)\b/gi, '');
}
