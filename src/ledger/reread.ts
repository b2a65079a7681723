import { closeSync, openSync, readSync } from 'node:fs';
import { UsageError } from '../errors.js';
import { isProblem, type Event, type Origin, type Problem } from '../events/event.js';
import { reasonOf } from '../events/input.js';
import { parseEvent, parseLine } from '../events/parse.js';
import { noted } from '../events/text-event.js';
import { hashOf, type RetryRow } from './retry-row.js';

/**
 * The event of a retry: its stored text, or its line read again from the file.
 * @throws UsageError when the line is not the same any more.
 */
export function rereadEvent(row: RetryRow, path: string): Event {
  const { line, offset, length, part, givenId } = row;
  const origin: Origin = { file: path, line, offset, length };
  const item = row.text ? parseEvent(row.text, origin) : readLine(path, origin);
  if (item === undefined || isProblem(item) || hashOf(item.bytes) !== row.hash) {
    throw new UsageError(
      `${path}:${line}: has changed while this event waited for a retry; restore the file, or start over with --fresh`,
      'file_changed',
    );
  }
  return noted(item, {
    part: part > 0 ? part : undefined,
    givenId: givenId ?? item.givenId,
  });
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** A byte order mark belongs to the first line's place, but not to its length. */
function readLine(path: string, origin: Origin): Event | Problem | undefined {
  const start = readBytes(path, origin.offset, origin.length + byteOrderMark.length);
  const isMarked = origin.offset === 0 && start.subarray(0, 3).equals(byteOrderMark);
  const bytes = isMarked ? start.subarray(3) : start.subarray(0, origin.length);
  return bytes.length === origin.length ? parseLine(bytes, origin) : undefined;
}

function readBytes(path: string, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const file = openFile(path);
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, length, offset));
  } finally {
    closeSync(file);
  }
}

function openFile(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (cause) {
    throw new UsageError(
      `${path}: ${reasonOf(cause)}, and events of it wait for a retry; restore it, or start over with --fresh`,
      'file_changed',
      { cause },
    );
  }
}
