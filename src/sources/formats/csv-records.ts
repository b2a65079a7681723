import { isUtf8 } from 'node:buffer';
import { byteOrderMark, hasByteOrderMark } from '../../json/byte-order-mark.js';
import { CsvScan, incomplete } from './csv-scan.js';

export interface CsvOptions {
  /** Default: a comma. */
  readonly separator?: ',' | ';' | '\t';
  /** Default: true. Without, a quote is a character like any other. */
  readonly hasQuotes?: boolean;
  /** The maximum length of a record. */
  readonly maxRecordBytes: number;
}

/** A record, or the first line of one that cannot be read. It is valid until the next one is asked for. */
export class CsvRecord {
  /** The line where it begins, from 1. */
  line = 0;
  /** Offset of its first byte in the (inflated) file. */
  offset = 0;
  /** Why it has no cells. */
  fault: 'bad_quotes' | 'too_long' | undefined;
  /** The record is in `buffer[start, end)`, without its newline; of a line that is too long, its beginning. */
  buffer: Buffer = Buffer.alloc(0);
  start = 0;
  end = 0;
  /** Whether it is known to be UTF-8: checking many at once is faster than each. */
  isText = false;
  /** The places of its cells, counted from `start`. */
  readonly cells: CsvCells;

  constructor(cells: CsvCells) {
    this.cells = cells;
  }

  get bytes(): Buffer {
    return this.buffer.subarray(this.start, this.end);
  }
}

/** The cells of the record that was read last. */
export type CsvCells = Pick<CsvScan, 'count' | 'spans' | 'isQuoted' | 'text'>;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const tab = 0x09;

/**
 * Splits a byte stream into CSV records, RFC 4180: cells are separated by commas, and a quoted cell may
 * contain commas, newlines and doubled quotes. Lines end with LF or CRLF; blank lines and a byte order
 * mark are skipped. If a quote is never closed, or its closing one is followed by other text, only the first
 * line of the record is lost: the closing one may be the opening one of a record behind it.
 */
export class CsvReader {
  readonly #scan: CsvScan;
  readonly #record: CsvRecord;
  readonly #maxBytes: number;
  readonly #separator: number;
  /** What is not read yet begins at `#at`. */
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  /** Up to here they are known to be UTF-8. */
  #textEnd = 0;
  #isEnd = false;
  #line = 1;
  #offset = 0;
  /** Whether the bytes up to the next line feed belong to a line that is lost. */
  #isSkipping = false;

  constructor({ separator = ',', hasQuotes = true, maxRecordBytes }: CsvOptions) {
    this.#separator = separator.charCodeAt(0);
    this.#scan = new CsvScan(this.#separator, hasQuotes);
    this.#record = new CsvRecord(this.#scan);
    this.#maxBytes = maxRecordBytes;
  }

  /** How many lines have ended so far. */
  get linesRead(): number {
    return this.#line - 1;
  }

  /** Adds bytes. Call `next` until it returns nothing before more are added. */
  push(chunk: Buffer): void {
    const rest = this.#bytes.subarray(this.#at);
    this.#bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    this.#scan.moved(this.#at);
    this.#at = 0;
    const lines = this.#bytes.lastIndexOf(lineFeed) + 1;
    this.#textEnd = isUtf8(this.#bytes.subarray(0, lines)) ? lines : 0;
  }

  /** No more bytes follow. */
  end(): void {
    this.#isEnd = true;
  }

  /** The next record; undefined if its end has not arrived. */
  next(): CsvRecord | undefined {
    if (this.#offset === 0 && !this.#passMark()) return undefined;
    while (this.#at < this.#bytes.length) {
      if (this.#isSkipping) {
        this.#skipLine();
        continue;
      }
      const at = this.#at;
      const record = this.#read();
      if (record) return record;
      if (this.#at === at) return undefined;
    }
    return undefined;
  }

  /** Whether enough bytes have arrived to know whether they begin with a byte order mark. */
  #passMark(): boolean {
    if (!this.#isEnd && this.#bytes.length < byteOrderMark.length) return false;
    if (hasByteOrderMark(this.#bytes)) this.#offset = this.#at = byteOrderMark.length;
    return true;
  }

  /** The record at `#at`; undefined if it is a blank line, which is passed, or not complete, which is not. */
  #read(): CsvRecord | undefined {
    const [bytes, start] = [this.#bytes, this.#at];
    const end = this.#scan.read(bytes, start, this.#isEnd);
    if (end > start && end - start <= this.#maxBytes) {
      const stop = lineEnd(bytes, start, end);
      const isBlank = this.#isBlank(start, stop);
      if (!isBlank) this.#setRecord(start, stop, end, undefined);
      this.#pass(end, this.#scan.newlines);
      return isBlank ? undefined : this.#record;
    }
    const firstEnd = bytes.indexOf(lineFeed, start);
    const isLost = end !== incomplete && firstEnd !== -1;
    if (!isLost && !this.#isEnd && bytes.length - start <= this.#maxBytes) return undefined;
    return this.#lose(start, firstEnd === -1 ? bytes.length : firstEnd + 1);
  }

  /** Rejects the record that begins at `start`, and goes on after its first line, which ends at `end`. */
  #lose(start: number, end: number): CsvRecord {
    const isTooLong = end - start > this.#maxBytes;
    const stop = isTooLong ? start + this.#maxBytes : lineEnd(this.#bytes, start, end);
    this.#setRecord(start, stop, end, isTooLong ? 'too_long' : 'bad_quotes');
    this.#isSkipping = true;
    this.#skipLine();
    return this.#record;
  }

  #setRecord(start: number, stop: number, end: number, fault: CsvRecord['fault']): void {
    const record = this.#record;
    record.buffer = this.#bytes;
    record.start = start;
    record.end = stop;
    record.line = this.#line;
    record.offset = this.#offset;
    record.fault = fault;
    record.isText = end <= this.#textEnd;
  }

  /** Skips the rest of a line. */
  #skipLine(): void {
    const end = this.#bytes.indexOf(lineFeed, this.#at);
    this.#isSkipping = end === -1;
    if (end === -1) this.#pass(this.#bytes.length, 0);
    else this.#pass(end + 1, 1);
  }

  #pass(end: number, newlines: number): void {
    this.#offset += end - this.#at;
    this.#line += newlines;
    this.#at = end;
  }

  /** A line of tabs alone is a record of empty cells, if tabs separate them. */
  #isBlank(start: number, end: number): boolean {
    for (let at = start; at < end; at++) {
      const byte = this.#bytes[at];
      if (byte !== space && (byte !== tab || this.#separator === tab)) return false;
    }
    return true;
  }
}

/** The end of the line without its LF or CRLF. */
function lineEnd(bytes: Buffer, start: number, end: number): number {
  if (end > start && bytes[end - 1] === lineFeed) end--;
  if (end > start && bytes[end - 1] === carriageReturn) end--;
  return end;
}
