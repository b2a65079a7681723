import { entrySeparator } from '../../sources/entry-name.js';
import { accessOf, type Input } from '../../sources/input.js';
import { withSignal } from '../../sources/random-access.js';
import { SourceError } from '../../sources/source-error.js';
import { zipInputs } from '../../sources/zip-inputs.js';
import type { RangeItem } from './item.js';
import type { PlannedFile } from './plan.js';

/** What a planned file is called in dead letters: `/data/a.zip!/events.ndjson` for an entry of an archive. */
export function nameOf({ path, entry }: Pick<PlannedFile, 'path' | 'entry'>): string {
  return entry === undefined ? path : path + entrySeparator + entry;
}

/**
 * A part of a planned file as an input.
 *
 * @param found the file, or what is behind its URL, as it is now
 * @throws SourceError when the archive has no such entry, or no part can be read alone
 */
export async function partOfPlanned(
  { isWhole, rowGroups, layout: planned, given, entry }: PlannedFile,
  { from, to }: Pick<RangeItem, 'from' | 'to'>,
  found: Input,
  signal: AbortSignal,
): Promise<Input> {
  const layout = planned ?? (isWhole ? 'text' : 'plain');
  const file: Input = { ...found, layout, ...(given && { given }) };
  // Else all lines would be read for each part.
  if (to !== null && !accessOf(found))
    throw new SourceError(
      'its server no longer supports range requests; restore that, or download the file and plan it again',
    );
  if (entry === undefined) return rowGroups && to !== null ? { ...file, rows: { from, to } } : file;
  const access = await accessOf(found)?.();
  const entries = access ? await zipInputs(file, withSignal(access, signal)) : [];
  const own = entries.find(({ name }) => name === found.name + entrySeparator + entry);
  if (!own) throw new SourceError(`has no entry ${entry}`);
  return { ...own, layout };
}
