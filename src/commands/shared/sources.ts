import { fstatSync } from 'node:fs';
import { UsageError } from '../../errors.js';
import { limitHeapGrowth } from '../../memory-limits.js';
import { checkFormats, type AcceptedFormats } from '../../sources/check-formats.js';
import { findInputs } from '../../sources/find-inputs.js';
import type { Input } from '../../sources/input.js';
import { givenFormat, urlOpener } from './source-options.js';
import type { Io } from './command.js';
import { listedNames, type ListedName } from './name-list.js';
import type { SourceFlags } from './source-flags.js';

/**
 * The event files of a command: its arguments, then those of `--files-from`; without both, standard input
 * if it is a pipe or a file.
 *
 * @throws UsageError when there are none, or one cannot be read or is another format
 */
export async function findSources(
  files: readonly string[],
  flags: SourceFlags,
  io: Io,
): Promise<Input[]> {
  return readable(await findNamed(files, flags, io));
}

/**
 * The inputs with their formats; the memory is limited for those that need much.
 * @throws UsageError when one is another format
 */
export async function readable(
  inputs: readonly Input[],
  formats?: AcceptedFormats,
): Promise<Input[]> {
  const checked = await checkFormats(inputs, formats);
  // The values of a row are garbage at once.
  if (checked.some(({ layout }) => layout === 'rows')) limitHeapGrowth();
  return checked;
}

/** What a command reads, for messages. */
export interface SourceKind {
  readonly files: string;
  readonly items: string;
}

/**
 * The same, whatever they are.
 *
 * @throws UsageError when there are none, or one cannot be read
 */
export async function findNamed(
  files: readonly string[],
  flags: SourceFlags,
  io: Io,
  kind: SourceKind = { files: 'event files', items: 'events' },
): Promise<Input[]> {
  const { filesFrom } = flags;
  if (!hasSources(files, flags, io)) throw noSources(kind);
  if (files.length === 0 && filesFrom === undefined) {
    const given = givenFormat(flags);
    return [given ? { ...impliedStdin, given } : impliedStdin];
  }
  const listed = filesFrom === undefined ? [] : await listedNames(filesFrom, io);
  checkStdin(files, listed, filesFrom);
  const names = [...files, ...listed.map(({ name }) => name)];
  return findInputs(names, {
    placeOf: (index) => listed[index - files.length]?.place,
    given: givenFormat(flags),
    openUrl: urlOpener(flags, io),
  });
}

function checkStdin(
  files: readonly string[],
  listed: readonly ListedName[],
  filesFrom: string | undefined,
): void {
  if (filesFrom !== '-') return;
  if (![...files, ...listed.map(({ name }) => name)].includes('-')) return;
  throw new UsageError(
    'standard input (-) can be read only once, and --files-from - reads names from it; pass the events as files',
  );
}

const impliedStdin: Input = { name: '-', size: undefined, isFile: false, isImplied: true };

/** Whether event files are named, or a pipe can be read instead. */
export function hasSources(
  files: readonly string[],
  { filesFrom }: SourceFlags,
  { stdin }: Io,
): boolean {
  return files.length > 0 || filesFrom !== undefined || isPiped(stdin);
}

function noSources({ files, items }: SourceKind): UsageError {
  return new UsageError(
    `no ${files}: pass files, pipe ${items} to standard input, or use --files-from`,
    'no_input',
  );
}

/** Not a terminal, and not a device like /dev/null, which a job without input has. */
function isPiped({ isTTY, fd }: Io['stdin']): boolean {
  if (isTTY) return false;
  if (fd === undefined) return true;
  try {
    const found = fstatSync(fd);
    return found.isFIFO() || found.isFile() || found.isSocket();
  } catch {
    // It is closed.
    return false;
  }
}
