import { open, type FileHandle } from 'node:fs/promises';
import { blockLength, eventsOfKept, lengthsOf, prefixBytes } from './block.js';
import { allKeptFiles, spanOf, type KeptFile } from './file-names.js';
import type { ReadBlock, ReadKeptOptions } from './kept-events.js';

/** A `KeptPosition`: where a block of a file ends. */
type FilePosition = Pick<KeptFile, 'startedAt' | 'retentionMs' | 'number'> & {
  /** In bytes, from the start of the file. */
  readonly offset: number;
};

const readBytes = 256 * 1024;
/** An event may be left out if it was written later than this after its arrival, or the clock was set back further. */
const lateMs = 10 * 60_000;

/** The folder of kept events, in that of the state. */
export const keptFolder = 'kept';

/**
 * The kept events of a folder, about in the order of arrival, also beside a service that writes and deletes them.
 * @throws what the system throws
 */
export async function* readKept(
  folder: string,
  { after, since = -Infinity, until = Infinity }: ReadKeptOptions = {},
): AsyncGenerator<ReadBlock> {
  const files = allKeptFiles(folder);
  for (const file of files) {
    const order = after ? orderOf(file, after as FilePosition) : 1;
    if (order < 0 || file.startedAt - lateMs >= until || endOf(file, files) < since) continue;
    const handle = await open(file.log).catch((error: unknown) => {
      // Dropped meanwhile.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    });
    if (!handle) continue;
    try {
      yield* blocksIn(handle, file, order === 0 ? (after as FilePosition).offset : 0);
    } finally {
      await handle.close();
    }
  }
}

/** When the newest event of a file arrived, at most. */
function endOf({ startedAt, retentionMs, number }: KeptFile, files: readonly KeptFile[]): number {
  const next = files.find((file) => file.retentionMs === retentionMs && file.number === number + 1);
  return Math.min(startedAt + spanOf(retentionMs), (next?.startedAt ?? Infinity) + lateMs);
}

function orderOf(file: KeptFile, at: FilePosition): number {
  return (
    file.startedAt - at.startedAt || file.retentionMs - at.retentionMs || file.number - at.number
  );
}

/** Uses one buffer for all reads: one for each, and their collection, would slow the rest of the process. */
async function* blocksIn(
  handle: FileHandle,
  { startedAt, retentionMs, number }: KeptFile,
  from: number,
): AsyncGenerator<ReadBlock> {
  let buffer = Buffer.allocUnsafeSlow(readBytes);
  let offset = from;
  let bytes = buffer.subarray(0, 0);
  for (;;) {
    const length = blockLength(bytes);
    if (length !== undefined) {
      const events = eventsOfKept(bytes.subarray(0, length));
      bytes = bytes.subarray(length);
      offset += length;
      yield {
        events,
        retentionMs,
        hasOwnPlaces: true,
        position: { startedAt, retentionMs, number, offset },
      };
      continue;
    }
    const lengths = lengthsOf(bytes);
    // Not the beginning of a block: where the next one begins is unknown.
    if (!lengths && bytes.length >= prefixBytes) return;
    const whole = lengths ? prefixBytes + lengths.head + lengths.body : 0;
    // The block was cut off, or its length is damaged.
    if (whole > buffer.length && whole > (await handle.stat()).size - offset) return;
    const target = whole > buffer.length ? Buffer.allocUnsafeSlow(whole) : buffer;
    const have = bytes.copy(target);
    buffer = target;
    const { bytesRead } = await handle.read(buffer, have, buffer.length - have, offset + have);
    if (bytesRead === 0) return;
    bytes = buffer.subarray(0, have + bytesRead);
  }
}
