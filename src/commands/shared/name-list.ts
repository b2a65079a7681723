import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { UsageError } from '../../errors.js';
import { reasonOf } from '../../input/input.js';
import { withoutByteOrderMark } from '../../json/byte-order-mark.js';
import type { Io } from './command.js';

export interface ListedName {
  readonly name: string;
  /** Where the list has it: `list.txt:3`. */
  readonly place?: string;
}

const lineFeed = 0x0a;
const nul = 0x00;

/**
 * The names in the list of `--files-from`: one per line, or NUL-separated if it has a NUL byte. Blank lines
 * are skipped, and LF and CRLF end a line; other space belongs to the name.
 *
 * @param list its path; `-` is standard input
 * @throws UsageError when it cannot be read or has no names
 */
export async function listedNames(list: string, io: Io): Promise<ListedName[]> {
  const bytes = withoutByteOrderMark(list === '-' ? await readStdin(io) : readList(list));
  const file = list === '-' ? 'standard input' : list;
  const names: ListedName[] = [];
  const isLines = !bytes.includes(nul);
  for (const [index, part] of partsOf(bytes, isLines ? lineFeed : nul).entries()) {
    const place = `${file}:${index + 1}`;
    const name = nameOf(part, place, isLines);
    if (name !== '') names.push({ name, place });
  }
  if (names.length === 0) throw new UsageError(`--files-from ${list}: has no names of files`);
  if (names[0]!.name.startsWith('{')) {
    throw new UsageError(`--files-from ${list}: has events, not names of files; pass it as a file`);
  }
  return names;
}

async function readStdin({ stdin }: Io): Promise<Buffer> {
  if (stdin.isTTY) {
    throw new UsageError('--files-from - reads a pipe; pass the names by one, or use a file');
  }
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Buffer | string));
  return Buffer.concat(chunks);
}

function readList(list: string): Buffer {
  try {
    return readFileSync(list);
  } catch (cause) {
    throw new UsageError(`--files-from ${list}: ${reasonOf(cause)}`, 'unreadable_file', { cause });
  }
}

function partsOf(bytes: Buffer, separator: number): Buffer[] {
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(separator, start);
    const end = found === -1 ? bytes.length : found;
    parts.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return parts;
}

function nameOf(bytes: Buffer, place: string, isLine: boolean): string {
  if (!isUtf8(bytes))
    throw new UsageError(`${place}: the name is not valid UTF-8; rename the file`);
  const text = bytes.toString('utf8');
  if (!isLine) return text;
  const line = text.endsWith('\r') ? text.slice(0, -1) : text;
  return line.trim() === '' ? '' : line;
}
