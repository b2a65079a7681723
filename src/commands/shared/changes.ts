import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { slowHash } from '../../config/target-identity.js';
import { readSecretFile } from '../../config/secret.js';
import { UsageError } from '../../errors.js';
import type { EventMap } from '../../events/map/event-map.js';
import { reasonOf } from '../../sources/input.js';
import type { VendorFiles } from '../../vendors/index.js';
import type { RecordChanges } from '../../steps/changes.js';
import { parseStep } from '../../steps/step.js';
import { stepKindOf } from '../flags/changes.js';
import type { TypedFlag } from '../flags/flag.js';
import type { Io } from './command.js';
import { print } from './output.js';

/** Flags that change records before they are sent; the steps are read from the flags as typed. */
export interface ChangeFlags {
  from?: string;
  map?: string;
  hashKeyFile?: string;
  deadLetterChanged?: boolean;
}

/**
 * What is done to each record, in the order in which the flags were typed; undefined for nothing.
 * @throws UsageError when the file of the key is empty or cannot be read
 */
export async function resolveChanges(
  typed: readonly TypedFlag[],
  flags: ChangeFlags,
  cwd: string,
): Promise<RecordChanges | undefined> {
  const { hashKeyFile } = flags;
  const map = await mapOf(flags, cwd);
  const steps = typed.flatMap(({ flag, value = '' }) => {
    const kind = stepKindOf(flag);
    return kind ? [parseStep(kind, value)] : [];
  });
  if (steps.length === 0 && !map) return undefined;
  if (hashKeyFile === undefined) return { map, steps, hashKey: undefined };
  return { map, steps, hashKey: hashKeyOf(hashKeyFile, cwd) };
}

/** The key of `--hash` in Base64. @throws UsageError when the file is empty or cannot be read */
export function hashKeyOf(path: string, cwd: string): string {
  return Buffer.from(readSecretFile(path, cwd, '--hash-key-file')).toString('base64');
}

/** Their part in the identity of a run; the key is in it by a slow hash. */
export async function identityOfChanges(
  changes: RecordChanges | undefined,
  files: string,
): Promise<object> {
  if (!changes) return {};
  const { hashKey, ...visible } = changes;
  return {
    changes: visible,
    hashKey: await slowHash(hashKey === undefined ? [] : [hashKey], files),
  };
}

/** With both flags, the members of the file replace those of the vendor. */
async function mapOf({ from, map: path }: ChangeFlags, cwd: string): Promise<EventMap | undefined> {
  if (path === undefined) return from === undefined ? undefined : { from };
  const { readMap } = await import('../../events/map/read-map.js');
  const { vendorNames } = await import('../../vendors/index.js');
  let text: string;
  try {
    text = readFileSync(resolve(cwd, path), 'utf8');
  } catch (cause) {
    throw new UsageError(`--map ${path}: ${reasonOf(cause)}`, 'unreadable_file', { cause });
  }
  const map = readMap(text, path, vendorNames);
  return from === undefined ? map : { ...map, from };
}

/** How the files of the vendor of a map are read, where their bytes do not say it. */
export async function vendorFilesOf(
  changes: RecordChanges | undefined,
): Promise<VendorFiles | undefined> {
  if (changes?.map?.from === undefined) return undefined;
  const { findVendor } = await import('../../vendors/index.js');
  return findVendor(changes.map.from)?.files;
}

/** Prints what `--from` stands for, as a map to begin with. */
export async function printMapOf({ from }: ChangeFlags, io: Io): Promise<void> {
  const { findVendor } = await import('../../vendors/index.js');
  const { printMap } = await import('../../vendors/print-map.js');
  print(io, printMap(findVendor(from)!).trimEnd());
}
