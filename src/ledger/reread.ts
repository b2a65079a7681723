import { UsageError } from '../errors.js';
import { isExpansion, isProblem, type Event, type Origin } from '../events/event.js';
import { reasonOf } from '../sources/input.js';
import { markLength } from '../sources/open-line.js';
import { byteOrderMark } from '../json/byte-order-mark.js';
import { readAt } from '../storage/read-at.js';
import { eventItems, type ItemKind } from './item-kind.js';
import { hashOf, type RetryRow } from './retry-row.js';

export interface RereadOptions {
  /** The name of the file in dead letters. Default: its path. */
  readonly file?: string | undefined;
  /** Whether messages tell a line by its offset, not by its number. Default false. */
  readonly locatesByOffset?: boolean | undefined;
  /** What the lines are. Default: events. */
  readonly items?: ItemKind | undefined;
}

/**
 * The event of a retry: its stored text, or its line read again from the file.
 * @throws UsageError when the line has changed.
 */
export function rereadEvent(
  row: RetryRow,
  path: string,
  { file = path, locatesByOffset, items = eventItems }: RereadOptions = {},
): Event {
  const { line, offset, length, part, givenId } = row;
  const origin: Origin = { file, line, offset, length };
  const found = row.text ? items.parseText(row.text, origin) : readLine(path, origin, items);
  const item = found && isExpansion(found) ? found.items[part] : found;
  if (item === undefined || isProblem(item) || hashOf(item.bytes) !== row.hash) {
    const place = locatesByOffset ? `${path}: the line at byte ${offset}` : `${path}:${line}:`;
    throw new UsageError(
      `${place} has changed while this event waited for a retry; restore the file, or start over with --fresh`,
      'file_changed',
    );
  }
  return items.withNotes(item, {
    part: part > 0 ? part : undefined,
    givenId: givenId ?? item.givenId,
  });
}

/** The offset of the first line is that of the byte order mark, but its length is without it. */
function readLine(
  path: string,
  origin: Origin,
  items: ItemKind,
): ReturnType<ItemKind['parseLine']> | undefined {
  const { offset, length } = origin;
  const text = readBytes(path, offset, length + byteOrderMark.length);
  const start = markLength(text, offset === 0);
  const bytes = text.subarray(start, start + length);
  return bytes.length === length ? items.parseLine(bytes, origin) : undefined;
}

function readBytes(path: string, offset: number, length: number): Buffer {
  try {
    return readAt(path, offset, length);
  } catch (cause) {
    throw new UsageError(
      `${path}: ${reasonOf(cause)}, but some of its events wait for a retry; restore it, or start over with --fresh`,
      'file_changed',
      { cause },
    );
  }
}
