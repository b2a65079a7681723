import { accessSync, constants, existsSync, statSync, type Stats } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { UsageError } from '../errors.js';
import { withoutQuery } from '../http/url.js';
import type { GivenFormat } from './formats/decode.js';
import { reasonOf, type Input } from './input.js';
import { throwIfRefused, type Refused } from './refused.js';

/** Opens what a URL names; several for a prefix or a pattern of S3. */
export type OpenUrl = (url: string) => Promise<readonly Input[]>;

export interface FindOptions {
  /** Where the path with this index is listed: `list.txt:3`; undefined if it is not from a list. */
  readonly placeOf?: (index: number) => string | undefined;
  /** What the user says of their format. */
  readonly given?: GivenFormat | undefined;
  /** Whether a directory and a pattern stand for the files that they name. Default true. */
  readonly expands?: boolean;
  /** Default: URLs are refused. */
  readonly openUrl?: OpenUrl | undefined;
}

/**
 * Finds what paths, directories, patterns and URLs name, before the first byte is read.
 *
 * @throws UsageError that names a path which is missing, not a file, or not readable, and other such paths.
 */
export async function findInputs(
  paths: readonly string[],
  options: FindOptions = {},
): Promise<Input[]> {
  const { placeOf = () => undefined, given } = options;
  if (paths.filter((path) => path === '-').length > 1) {
    throw new UsageError('standard input (-) can be read only once; use - once');
  }
  const inputs: Input[] = [];
  const refused: Refused[] = [];
  for (const [index, path] of paths.entries()) {
    // Of thousands of files, looking at each in another thread would take several times as long.
    if (index % pathsPerTurn === 0) await nextTurn();
    try {
      const found = findInput(path, () => placeOf(index)) ?? (await findSeveral(path, options));
      for (const input of found) inputs.push(given ? { ...input, given } : input);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      refused.push({ name: path, error });
    }
  }
  throwIfRefused(refused, 'cannot be read either');
  return inputs;
}

const pathsPerTurn = 1_000;

/** Undefined for a directory, a pattern or a URL. */
function findInput(path: string, placeOf: () => string | undefined): Input[] | undefined {
  if (path === '-') return [{ name: path, size: undefined, isFile: false }];
  if (isUrl(path)) return undefined;
  const where = (): string => {
    const place = placeOf();
    return place === undefined ? path : `${place}: ${path}`;
  };
  if (patternForm.test(path) && !existsSync(path)) return undefined;
  const found = look(path, where);
  if (found.isDirectory()) return undefined;
  return [{ name: path, size: found.isFile() ? found.size : undefined, isFile: found.isFile() }];
}

/** Whether a source is not on this machine. */
export function isUrl(path: string): boolean {
  return /^(?:https?|s3):\/\//i.test(path);
}

/** As in a pattern of S3. */
const patternForm = /[*?[{]/;

async function findSeveral(
  path: string,
  { openUrl, expands = true }: FindOptions,
): Promise<readonly Input[]> {
  if (isUrl(path)) {
    if (openUrl) return openUrl(path);
    throw new UsageError(`${withoutQuery(path)}: is a URL; pass a file`, 'unreadable_file');
  }
  if (!expands) {
    const what = existsSync(path)
      ? 'is a directory; pass the files in it'
      : 'no such file; check the path';
    throw new UsageError(`${path}: ${what}`, 'unreadable_file');
  }
  const files = await filesOf(path);
  if (files.length === 0)
    throw new UsageError(`${path}: no files found; check the path`, 'no_input');
  return files.map((name) => findInput(name, () => undefined)?.[0] ?? neverFound(name));
}

async function filesOf(path: string): Promise<string[]> {
  const { filesBelow, filesLike } = await import('./walk.js');
  try {
    const matching = existsSync(path) ? undefined : await filesLike(path);
    return matching ?? (await filesBelow(path.endsWith('/') ? path : `${path}/`));
  } catch (cause) {
    throw new UsageError(`${path}: ${reasonOf(cause)}`, 'unreadable_file', { cause });
  }
}

function neverFound(name: string): never {
  throw new UsageError(`${name}: has changed while it was looked at; try again`, 'unreadable_file');
}

function look(path: string, where: () => string): Stats {
  try {
    const found = statSync(path);
    accessSync(path, constants.R_OK);
    return found;
  } catch (cause) {
    throw new UsageError(`${where()}: ${reasonOf(cause)}`, 'unreadable_file', { cause });
  }
}
