import { byteOrderMark, hasByteOrderMark } from '../json/byte-order-mark.js';

/** A record of a CSV file, or the first line of a malformed one. */
export interface CsvRecord {
  /** Without its newline. */
  readonly bytes: Buffer;
  /** The line where it begins, from 1. */
  readonly line: number;
  /** Offset of its first byte in the (inflated) file. */
  readonly offset: number;
  /** Undefined if the quotes are malformed. */
  readonly cells: readonly Cell[] | undefined;
}

export interface Cell {
  /** Its content, unquoted. */
  readonly text: string;
  readonly isQuoted: boolean;
}

/** The maximum length of a record. The event of a longer one could not be sent. */
const maxRecordBytes = 64 * 1024;

const quote = 0x22;
const comma = 0x2c;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Splits a byte stream into CSV records, RFC 4180: cells are separated by commas, and a quoted cell may
 * contain commas, newlines and doubled quotes. Lines end with LF or CRLF; blank lines and a byte order
 * mark are skipped. If a quote is never closed, or its closing one is followed by other text, only the first
 * line of the record is lost: the closing one may be the opening one of a record behind it.
 */
export class CsvSplitter {
  #rest: Buffer = Buffer.alloc(0);
  #line = 1;
  #offset = 0;
  /** Whether the bytes up to the next line feed belong to a malformed line. */
  #isSkipping = false;

  get linesRead(): number {
    return this.#line - 1;
  }

  push(chunk: Buffer): CsvRecord[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    return this.#take(false);
  }

  end(): CsvRecord[] {
    return this.#take(true);
  }

  #take(isEnd: boolean): CsvRecord[] {
    const records: CsvRecord[] = [];
    const bytes = this.#rest;
    if (this.#offset === 0 && !isEnd && bytes.length < byteOrderMark.length) return records;
    let at = this.#passMark(bytes);
    for (let next = this.#step(bytes, at, isEnd, records); next > at;) {
      at = next;
      next = this.#step(bytes, at, isEnd, records);
    }
    this.#rest = Buffer.from(bytes.subarray(at));
    return records;
  }

  #passMark(bytes: Buffer): number {
    const isMarked = this.#offset === 0 && hasByteOrderMark(bytes);
    return isMarked ? this.#pass(bytes, 0, byteOrderMark.length) : 0;
  }

  /** Adds the record at `at` and returns the start of the next one: `at` if it is not complete yet. */
  #step(bytes: Buffer, at: number, isEnd: boolean, records: CsvRecord[]): number {
    if (this.#isSkipping) return this.#skip(bytes, at);
    const end = at < bytes.length ? recordEnd(bytes, at, isEnd) : at;
    if (typeof end === 'number' && end - at <= maxRecordBytes) {
      this.#add(records, bytes, at, end, cellsIn(bytes, at, lineEnd(bytes, at, end)));
      return this.#pass(bytes, at, end);
    }
    const lineFeedAt = bytes.indexOf(lineFeed, at);
    const isLost = end !== undefined && lineFeedAt !== -1;
    if (!isLost && !isEnd && bytes.length - at <= maxRecordBytes) return at;
    const lineStop = lineFeedAt === -1 ? bytes.length : lineFeedAt;
    this.#add(records, bytes, at, Math.min(lineStop, at + maxRecordBytes), undefined);
    this.#isSkipping = true;
    return this.#skip(bytes, at);
  }

  /** Skips the rest of a malformed line. */
  #skip(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(lineFeed, at);
    this.#isSkipping = end === -1;
    return this.#pass(bytes, at, end === -1 ? bytes.length : end + 1);
  }

  #add(
    records: CsvRecord[],
    bytes: Buffer,
    start: number,
    end: number,
    cells: readonly Cell[] | undefined,
  ): void {
    const record = bytes.subarray(start, lineEnd(bytes, start, end));
    if (isBlank(record)) return;
    records.push({ bytes: record, line: this.#line, offset: this.#offset, cells });
  }

  /** Advances the position past `bytes[start, end)`. */
  #pass(bytes: Buffer, start: number, end: number): number {
    this.#offset += end - start;
    for (let at = start; at < end; at++) if (bytes[at] === lineFeed) this.#line++;
    return end;
  }
}

/**
 * The index after the record's line feed, or after the last byte; undefined if the record continues,
 * `malformed` if a closing quote is followed by other text.
 */
function recordEnd(bytes: Buffer, start: number, isEnd: boolean): number | undefined | 'malformed' {
  let at = start;
  for (;;) {
    if (bytes[at] === quote) {
      const closing = closingQuote(bytes, at);
      if (closing === undefined) return undefined;
      at = closing + 1;
      // A carriage return ends the cell only before a line feed, or at the end.
      const next = bytes[at] === carriageReturn ? at + 1 : at;
      if (next >= bytes.length && !isEnd) return undefined;
      const endsHere = next >= bytes.length || bytes[next] === lineFeed || bytes[at] === comma;
      if (!endsHere) return 'malformed';
    }
    while (at < bytes.length && bytes[at] !== comma && bytes[at] !== lineFeed) at++;
    if (at === bytes.length) return isEnd ? at : undefined;
    at++;
    if (bytes[at - 1] === lineFeed) return at;
    if (at === bytes.length) return isEnd ? at : undefined;
  }
}

/** The index of the quote that closes a cell; a doubled quote does not. */
function closingQuote(bytes: Buffer, open: number): number | undefined {
  let at = bytes.indexOf(quote, open + 1);
  while (at !== -1 && bytes[at + 1] === quote) at = bytes.indexOf(quote, at + 2);
  return at === -1 ? undefined : at;
}

function cellsIn(bytes: Buffer, start: number, end: number): Cell[] {
  const cells: Cell[] = [];
  for (let at = start; ; at++) {
    const isQuoted = at < end && bytes[at] === quote;
    const closing = isQuoted ? closingQuote(bytes, at)! : at;
    let cellEnd = isQuoted ? closing + 1 : at;
    while (cellEnd < end && bytes[cellEnd] !== comma) cellEnd++;
    const text = bytes.toString('utf8', isQuoted ? at + 1 : at, isQuoted ? closing : cellEnd);
    cells.push({ text: isQuoted ? text.replaceAll('""', '"') : text, isQuoted });
    at = cellEnd;
    if (at >= end) return cells;
  }
}

/** The end of the line without its LF or CRLF. */
function lineEnd(bytes: Buffer, start: number, end: number): number {
  if (end > start && bytes[end - 1] === lineFeed) end--;
  if (end > start && bytes[end - 1] === carriageReturn) end--;
  return end;
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09);
}
