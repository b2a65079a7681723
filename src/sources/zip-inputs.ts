import { UsageError } from '../errors.js';
import { entrySeparator } from './entry-name.js';
import { idOf, type Input } from './input.js';
import type { RandomAccess } from './random-access.js';
import { listZip, readZipEntry, type ZipEntry } from './zip.js';

/**
 * The files of a zip archive as inputs, in the order of its directory. What macOS adds is
 * left out.
 *
 * @throws UsageError for an archive without files
 * @throws SourceError for one that is damaged
 */
export async function zipInputs(archive: Input, access: RandomAccess): Promise<Input[]> {
  const entries = (await listZip(access)).filter(({ name }) => !isMacJunk.test(name));
  if (entries.length > 0) return entries.map((entry) => inputOf(archive, access, entry));
  throw new UsageError('has no files in it; check the archive', 'no_input');
}

/** Folders `__MACOSX`, and files `._name` and `.DS_Store`. */
const isMacJunk = /(?:^|\/)(?:__MACOSX\/|\._|\.DS_Store$)/;

function inputOf(archive: Input, access: RandomAccess, entry: ZipEntry): Input {
  return {
    name: `${archive.name}${entrySeparator}${entry.name}`,
    // What is read of the archive: progress counts bytes on disk.
    size: entry.compressedSize,
    isFile: true,
    ...(archive.given && { given: archive.given }),
    object: {
      id: `${idOf(archive)}${entrySeparator}${entry.name}`,
      archive,
      version: `${entry.crc32} ${entry.size}`,
      read: (signal) => readZipEntry(access, entry, signal),
    },
  };
}
