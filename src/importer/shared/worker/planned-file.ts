import { accessSync, constants, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { EvfwdError } from '../../../errors.js';
import { reasonOf, type Input } from '../../../sources/input.js';
import { isUrl } from '../../../sources/find-inputs.js';
import { SourceError } from '../../../sources/source-error.js';
import { differenceOf } from '../file-changes.js';
import { modifiedMsOf } from '../make-plan.js';
import type { PlannedFile } from '../plan.js';
import { localPath, type Root } from './file-roots.js';

/** A file of the plan cannot be used by this worker, or is not the planned one any more; without its path. */
export class FileProblem extends Error {}

/** How this worker reads the files of a plan. */
export interface FilesHere {
  readonly roots: readonly Root[];
  /** Opens what is behind the URL of a planned file. */
  readonly openRemote: (file: PlannedFile, signal: AbortSignal) => Promise<Input>;
}

/**
 * A planned file here, or what is behind its URL.
 *
 * @throws FileProblem when it is missing, or is not the planned one any more
 * @throws the reason of `signal`
 */
export async function openUnchanged(
  file: PlannedFile,
  { roots, openRemote }: FilesHere,
  signal: AbortSignal,
): Promise<Input> {
  if (!isUrl(file.path)) {
    const name = unchangedPath(file, roots);
    return { name, size: file.size, isFile: true };
  }
  const input = await openRemote(file, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw remoteProblem(file, error);
  });
  checkSame(file, { size: input.size ?? 0, modifiedMs: 0, version: input.object!.version });
  return input;
}

/**
 * The path of a planned file here.
 * @throws FileProblem when it is missing, or its size or time of modification differ from the plan's
 */
export function unchangedPath(file: PlannedFile, roots: readonly Root[]): string {
  const path = localPath(file.path, roots);
  const { size, mtimeMs } = look(path);
  checkSame(file, { size, modifiedMs: modifiedMsOf({ mtimeMs }) });
  return path;
}

function checkSame(file: PlannedFile, now: Parameters<typeof differenceOf>[1]): void {
  const difference = differenceOf(file, now);
  if (difference === undefined) return;
  throw new FileProblem(
    `${difference}: it is not the file that was planned; restore it, then use evfwd runs verify`,
  );
}

function look(path: string): { readonly size: number; readonly mtimeMs: number } {
  try {
    accessSync(path, constants.R_OK);
    return statSync(path);
  } catch (cause) {
    throw new FileProblem(`${reasonOf(cause)}; then use evfwd runs verify`, { cause });
  }
}

/** Anything else is no problem of the source. */
function remoteProblem({ path }: PlannedFile, error: unknown): unknown {
  if (!(error instanceof SourceError || error instanceof EvfwdError)) return error;
  return new FileProblem(`${reasonText(path, error)}; then use evfwd runs verify`, {
    cause: error,
  });
}

/** Without the path, which stands beside it. */
function reasonText(path: string, error: Error): string {
  const reason = error.message.startsWith(`${path}: `)
    ? error.message.slice(path.length + 2)
    : error.message;
  const advice = error instanceof SourceError ? error.advice : undefined;
  return advice === undefined ? reason : `${reason}; ${advice}`;
}

/** The first file that cannot be read here, and how many there are. */
export interface MissingFiles {
  readonly path: string;
  readonly reason: string;
  readonly count: number;
}

/** A server that does not respond is tried again with the first part that is taken. */
const remoteLookMs = 10_000;

/**
 * Which files of a plan this worker cannot read; undefined if it can read all. One is looked at after the
 * other, since a volume may be slow and has others to serve. Of what is behind URLs, one for each server or bucket.
 */
export async function missingFiles(
  files: readonly PlannedFile[],
  { roots, openRemote }: FilesHere,
): Promise<MissingFiles | undefined> {
  let first: Omit<MissingFiles, 'count'> | undefined;
  let missing = 0;
  const servers = new Set<string>();
  for (const file of files) {
    const path = localPath(file.path, roots);
    try {
      if (!isUrl(path)) await access(path, constants.R_OK);
      else if (isFirstOf(servers, path)) await lookAtRemote(file, openRemote);
    } catch (error) {
      missing++;
      first ??= { path, reason: isUrl(path) ? (error as Error).message : reasonOf(error) };
    }
  }
  return first && { ...first, count: missing };
}

function isFirstOf(servers: Set<string>, url: string): boolean {
  const [, server = ''] = /^([a-z0-9]+:\/\/[^/]*)/i.exec(url) ?? [];
  if (servers.has(server)) return false;
  servers.add(server);
  return true;
}

async function lookAtRemote(file: PlannedFile, open: FilesHere['openRemote']): Promise<void> {
  const signal = AbortSignal.timeout(remoteLookMs);
  try {
    await open(file, signal);
  } catch (error) {
    if (signal.aborted) throw new Error('does not respond', { cause: error });
    throw new Error(reasonText(file.path, error as Error), { cause: error });
  }
}
