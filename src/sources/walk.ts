import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { compareBytes } from './compare-bytes.js';
import { matcherOf, parseS3Address } from './remote/s3-address.js';

/** Whether a path has a name that begins with `.` or `_`: what tools add beside the data. */
export function isLeftOut(path: string): boolean {
  return /(?:^|\/)[._](?!\/|\.?\/)/.test(path);
}

/**
 * The files below a directory, in bytewise order of their paths. Names that begin with `.` or `_` are left out, and
 * links to directories are not followed.
 *
 * @param directory ends with a slash
 * @throws the error of the file system if a directory cannot be read
 */
export async function filesBelow(directory: string): Promise<string[]> {
  return (await allBelow(directory)).filter((path) => !isLeftOut(path.slice(directory.length)));
}

/**
 * The files that a pattern means, as keys of S3 are matched: `*` within a name, `**` over names, `?`, `[a-z]`, `{a,b}`.
 * Undefined for a path without any of these.
 */
export async function filesLike(path: string): Promise<string[] | undefined> {
  const leading = /^(?:\.\/)+/.exec(path)?.[0] ?? '';
  const address = parseS3Address(`s3://files/${path.slice(leading.length)}`);
  if (address.kind !== 'pattern') return undefined;
  const { prefix } = address;
  const directory = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  const isMeant = await matcherOf(address);
  const found = (await allBelow(directory)).filter((each) => isMeant(each, 1));
  return found.map((each) => leading + each);
}

async function allBelow(directory: string): Promise<string[]> {
  const found: string[] = [];
  await walk(directory, found);
  return found.sort(compareBytes);
}

async function walk(directory: string, found: string[]): Promise<void> {
  for (const entry of await readdir(directory || '.', { withFileTypes: true })) {
    const path = `${directory}${entry.name}`;
    if (entry.isDirectory()) await walk(`${path}/`, found);
    else if (await isFile(entry, path)) found.push(path);
  }
}

async function isFile(entry: Dirent, path: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isFile();
  try {
    return (await stat(path)).isFile();
  } catch {
    // A link to nothing is no file.
    return false;
  }
}
