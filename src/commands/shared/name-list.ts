import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { UsageError } from '../../errors.js';
import { reasonOf } from '../../sources/input.js';
import { withoutByteOrderMark } from '../../json/byte-order-mark.js';
import type { Io } from './command.js';

/** A name in a list. Its place is a getter to save memory: there may be very many. */
export class ListedName {
  readonly name: string;
  readonly #list: string;
  readonly #part: number;

  constructor(name: string, list: string, part: number) {
    this.name = name;
    this.#list = list;
    this.#part = part;
  }

  /** Where the list has it: `list.txt:3`. */
  get place(): string {
    return placeIn(this.#list, this.#part);
  }
}

function placeIn(list: string, part: number): string {
  return `${list}:${part}`;
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
  let number = 0;
  for (const part of partsOf(bytes, isLines ? lineFeed : nul)) {
    number++;
    if (!isUtf8(part)) {
      const place = placeIn(file, number);
      throw new UsageError(`${place}: the name is not valid UTF-8; rename the file`);
    }
    const name = nameOf(part, isLines);
    if (name !== '') names.push(new ListedName(name, file, number));
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

function* partsOf(bytes: Buffer, separator: number): Generator<Buffer> {
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(separator, start);
    const end = found === -1 ? bytes.length : found;
    yield bytes.subarray(start, end);
    start = end + 1;
  }
}

function nameOf(bytes: Buffer, isLine: boolean): string {
  const text = bytes.toString('utf8');
  if (!isLine) return text;
  const line = text.endsWith('\r') ? text.slice(0, -1) : text;
  return line.trim() === '' ? '' : line;
}
