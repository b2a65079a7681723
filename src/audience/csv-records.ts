import { byteOrderMark, hasByteOrderMark } from '../json/byte-order-mark.js';

/** A record of a CSV file, as it was found, or the line where one broke. */
export interface CsvRecord {
  /** Without its line end. */
  readonly bytes: Buffer;
  /** The line where it begins, from 1. */
  readonly line: number;
  /** Offset of its first byte in the (inflated) file. */
  readonly offset: number;
  /** Undefined where the quotes make no sense. */
  readonly cells: readonly Cell[] | undefined;
}

export interface Cell {
  /** Its content, with quotes undone. */
  readonly text: string;
  readonly isQuoted: boolean;
}

/** What one record may take. The event of a longer one could not be sent. */
const maxRecordBytes = 64 * 1024;

const quote = 0x22;
const comma = 0x2c;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Cuts a byte stream into CSV records, RFC 4180: cells are parted by commas, a quoted one may hold
 * commas, line ends and doubled quotes. Lines end with LF or CRLF; blank ones are passed over, as is a
 * byte order mark. Where a quote is never closed, only the line that opens it is lost.
 */
export class CsvSplitter {
  #rest: Buffer = Buffer.alloc(0);
  #line = 1;
  #offset = 0;
  /** What stands before the next line feed belongs to a line that was given up. */
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

  /** Takes the record at a place and returns where the next one begins: there, if it is not whole yet. */
  #step(bytes: Buffer, at: number, isEnd: boolean, records: CsvRecord[]): number {
    if (this.#isSkipping) return this.#skip(bytes, at);
    const end = at < bytes.length ? recordEnd(bytes, at, isEnd) : at;
    if (end !== undefined && end - at <= maxRecordBytes) {
      this.#add(records, bytes, at, end, cellsIn(bytes, at, lineEnd(bytes, at, end)));
      return this.#pass(bytes, at, end);
    }
    const isLost = isEnd || end !== undefined || bytes.length - at > maxRecordBytes;
    if (!isLost) return at;
    const lineFeedAt = bytes.indexOf(lineFeed, at);
    const lineStop = lineFeedAt === -1 ? bytes.length : lineFeedAt;
    this.#add(records, bytes, at, Math.min(lineStop, at + maxRecordBytes), undefined);
    this.#isSkipping = true;
    return this.#skip(bytes, at);
  }

  /** Goes on behind the line that was given up. */
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

  /** Goes on behind `bytes[start, end)`. */
  #pass(bytes: Buffer, start: number, end: number): number {
    this.#offset += end - start;
    for (let at = start; at < end; at++) if (bytes[at] === lineFeed) this.#line++;
    return end;
  }
}

/** Behind the line feed that ends the record, or behind the last byte; undefined where it goes on. */
function recordEnd(bytes: Buffer, start: number, isEnd: boolean): number | undefined {
  let at = start;
  for (;;) {
    if (bytes[at] === quote) {
      const closing = closingQuote(bytes, at);
      if (closing === undefined || (closing + 1 === bytes.length && !isEnd)) return undefined;
      at = closing + 1;
    }
    while (at < bytes.length && bytes[at] !== comma && bytes[at] !== lineFeed) at++;
    if (at === bytes.length) return isEnd ? at : undefined;
    at++;
    if (bytes[at - 1] === lineFeed) return at;
    if (at === bytes.length) return isEnd ? at : undefined;
  }
}

/** A doubled quote stands for one; the other one closes the cell. */
function closingQuote(bytes: Buffer, open: number): number | undefined {
  let at = bytes.indexOf(quote, open + 1);
  while (at !== -1 && bytes[at + 1] === quote) at = bytes.indexOf(quote, at + 2);
  return at === -1 ? undefined : at;
}

/** Undefined where something stands behind a closing quote. */
function cellsIn(bytes: Buffer, start: number, end: number): Cell[] | undefined {
  const cells: Cell[] = [];
  for (let at = start; ; at++) {
    const isQuoted = at < end && bytes[at] === quote;
    const closing = isQuoted ? closingQuote(bytes, at)! : at;
    let cellEnd = isQuoted ? closing + 1 : at;
    while (cellEnd < end && bytes[cellEnd] !== comma) {
      if (isQuoted) return undefined;
      cellEnd++;
    }
    const text = bytes.toString('utf8', isQuoted ? at + 1 : at, isQuoted ? closing : cellEnd);
    cells.push({ text: isQuoted ? text.replaceAll('""', '"') : text, isQuoted });
    at = cellEnd;
    if (at >= end) return cells;
  }
}

/** Without the line feed, and the CR before it. */
function lineEnd(bytes: Buffer, start: number, end: number): number {
  if (end > start && bytes[end - 1] === lineFeed) end--;
  if (end > start && bytes[end - 1] === carriageReturn) end--;
  return end;
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09);
}
