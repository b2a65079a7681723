import { entrySeparator } from '../../sources/entry-name.js';
import { openLocalFile } from '../../sources/local-file.js';
import type { Input } from '../../sources/input.js';
import { SourceError } from '../../sources/source-error.js';
import { zipInputs } from '../../sources/zip-inputs.js';
import type { PlannedFile } from './plan.js';

/** What a planned file is called in dead letters: `/data/a.zip!/events.ndjson` for an entry of an archive. */
export function nameOf({ path, entry }: Pick<PlannedFile, 'path' | 'entry'>): string {
  return entry === undefined ? path : path + entrySeparator + entry;
}

/**
 * A planned file as an input, to be read at `path`.
 *
 * @throws SourceError when the archive has no such entry
 */
export async function openPlanned(planned: PlannedFile, path: string): Promise<Input> {
  const { size, isWhole, layout = isWhole ? 'text' : 'plain', given, entry } = planned;
  const file: Input = { name: path, size, isFile: true, layout, ...(given && { given }) };
  if (entry === undefined) return file;
  const entries = await zipInputs(file, await openLocalFile(path));
  const found = entries.find(({ name }) => name === path + entrySeparator + entry);
  if (!found) throw new SourceError(`has no entry ${entry}`);
  return { ...found, layout };
}
