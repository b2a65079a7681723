import { open, type FileHandle } from 'node:fs/promises';
import { isProblem, type Event } from '../events/event.js';
import { isGzip } from './gunzip.js';
import { LineSplitter } from './lines.js';
import { parseLine } from '../events/parse.js';

/** Fits two dead letters with events of the largest size: one whole, one cut off. */
const endBytes = 72 * 1024;
const lineFeed = 0x0a;

/** The valid events at the start and at the end of a plain file; the two may overlap. */
export type Ends = readonly [start: Event[], end: Event[]];

/**
 * Reads only both ends of a file of `size` bytes; undefined for gzip, whose end
 * cannot be read alone.
 */
export async function readEnds(path: string, size: number): Promise<Ends | undefined> {
  const file = await open(path, 'r');
  try {
    const start = await readAt(file, 0, Math.min(endBytes, size));
    if (isGzip(start)) return undefined;
    if (size <= endBytes) {
      const events = eventsIn(start, path);
      return [events, events];
    }
    const end = await readAt(file, size - endBytes, endBytes);
    return [eventsIn(untilLastLine(start), path), eventsIn(fromFirstLine(end), path)];
  } finally {
    await file.close();
  }
}

/** Returns fewer bytes if the file has shrunk meanwhile. */
async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** Without the line that is cut off at the end. */
function untilLastLine(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf(lineFeed) + 1);
}

/** Without the line whose beginning is missing. */
function fromFirstLine(bytes: Buffer): Buffer {
  const end = bytes.indexOf(lineFeed);
  return end === -1 ? bytes.subarray(0, 0) : bytes.subarray(end + 1);
}

function eventsIn(bytes: Buffer, file: string): Event[] {
  const splitter = new LineSplitter();
  return [...splitter.push(bytes), ...splitter.end()]
    .map((line) =>
      parseLine(line.bytes, {
        file,
        line: line.line,
        offset: line.offset,
        length: line.bytes.length,
      }),
    )
    .filter((item): item is Event => !isProblem(item));
}
