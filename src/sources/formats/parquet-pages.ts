import type { ColumnMetaData } from 'hyparquet';
import { readAll, type RandomAccess } from '../random-access.js';
import { PageBytes } from './parquet-bytes.js';
import { damagedParquet, tooLargeParquet } from './parquet-errors.js';

/** A data page of a column: its bytes with its header, and its first row in the row group. */
export interface Page {
  readonly offset: number;
  readonly size: number;
  readonly firstRow: number;
}

/** A page is decoded as a whole, so these are the limits of memory; writers make pages of about 1 MB. */
export const maxPageBytes = 256 * 1024 * 1024;
export const maxPageValues = 32 * 1024 * 1024;
const headerBytes = 64 * 1024;
const maxHeaderBytes = 1024 * 1024;

export const dataPage = 0;
export const dictionaryPage = 2;
export const dataPage2 = 3;

/**
 * Finds the pages of a column by their headers, so that a row group need not be decoded as a whole.
 * Undefined where headers do not tell the rows: in lists, pages of version 1 count values.
 */
export async function findPages(
  source: RandomAccess,
  column: ColumnMetaData,
  { rows, isRepeated }: { rows: number; isRepeated: boolean },
): Promise<Page[] | undefined> {
  const start = Number(column.dictionary_page_offset ?? 0n) || Number(column.data_page_offset);
  const end = start + Number(column.total_compressed_size);
  const headers = new HeaderReader(source, end);
  const pages: Page[] = [];
  let row = 0;
  let isKnown = true;
  let [bytes, values] = [0, 0];
  for (let at = start; at < end && (row < rows || !isKnown);) {
    const header = await headers.at(at);
    const pageEnd = at + header.length + header.size;
    if (pageEnd > end) throw damagedParquet();
    const counts = header.kind === dataPage2 ? header.rows : header.values;
    const isData = header.kind !== dictionaryPage;
    isKnown &&= !isRepeated || header.kind !== dataPage;
    // Pages that cannot be told apart are decoded together.
    bytes = (isKnown ? 0 : bytes) + header.textSize;
    values = (isKnown ? 0 : values) + header.values;
    if (bytes > maxPageBytes || values > maxPageValues) throw tooLargeParquet();
    if (isData) pages.push({ offset: at, size: pageEnd - at, firstRow: row });
    else if (pages.length > 0) throw damagedParquet();
    if (isData) row += counts;
    at = pageEnd;
  }
  if (!isKnown) return undefined;
  if (row !== rows) throw damagedParquet();
  return pages;
}

export interface PageHeader {
  readonly kind: number;
  readonly length: number;
  /** Of the compressed page, and of its content. */
  readonly size: number;
  readonly textSize: number;
  readonly values: number;
  readonly encoding: number;
  /** What pages of version 2 alone have. */
  readonly rows: number;
  readonly nulls: number;
  readonly definitionBytes: number;
  readonly repetitionBytes: number;
  readonly isCompressed: boolean;
}

class HeaderReader {
  readonly #source: RandomAccess;
  readonly #end: number;
  #bytes: Buffer = Buffer.alloc(0);
  #offset = 0;

  constructor(source: RandomAccess, end: number) {
    this.#source = source;
    this.#end = end;
  }

  async at(offset: number): Promise<PageHeader> {
    const skipped = offset - this.#offset;
    const known = skipped < this.#bytes.length && pageHeader(this.#bytes.subarray(skipped));
    if (known) return known;
    for (let size = headerBytes; size <= maxHeaderBytes; size *= 4) {
      this.#offset = offset;
      this.#bytes = await readAll(this.#source, offset, Math.min(offset + size, this.#end));
      const header = pageHeader(this.#bytes);
      if (header) return header;
      if (offset + size >= this.#end) break;
    }
    throw damagedParquet();
  }
}

/** The header that `bytes` begins with, in Thrift's compact protocol; undefined if it is not whole. */
export function pageHeader(bytes: Buffer): PageHeader | undefined {
  const reader = new ThriftReader(bytes);
  const top: Fields = new Map();
  const inner = Array.from({ length: 4 }, (): Fields => new Map());
  try {
    reader.struct(top, (field) => inner[field - 5]);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  const kind = count(top, 1);
  const own = inner[kind === dataPage2 ? 3 : kind];
  if (!own) throw damagedParquet();
  const ofVersion2 = (field: number): number => (kind === dataPage2 ? count(own, field) : 0);
  return {
    kind,
    length: reader.at,
    textSize: count(top, 2),
    size: count(top, 3),
    values: count(own, 1),
    encoding: count(own, kind === dataPage2 ? 4 : 2),
    nulls: ofVersion2(2),
    rows: ofVersion2(3),
    definitionBytes: ofVersion2(5),
    repetitionBytes: ofVersion2(6),
    isCompressed: own.get(7) !== 0,
  };
}

/** The integers and booleans of a struct; NaN for other values. */
type Fields = Map<number, number>;

function count(fields: Fields, field: number): number {
  const value = fields.get(field);
  if (value === undefined || !(value >= 0 && value < 2 ** 31)) throw damagedParquet();
  return value;
}

/** Levels of nesting in a header; real ones have 3. */
const maxLevels = 16;

/** Reads the integers of a struct, and passes all else. What hyparquet would read otherwise is refused. */
class ThriftReader extends PageBytes {
  /** `inner` has the fields of structs within. */
  struct(
    into: Fields | undefined,
    inner: (field: number) => Fields | undefined = () => undefined,
    level = 0,
  ): void {
    into?.clear();
    for (let field = 0; ;) {
      const head = this.byte();
      const type = head & 0x0f;
      if (type === 0) return;
      field = head >> 4 ? field + (head >> 4) : this.zigZag();
      if (!(Math.abs(field) < 2 ** 15)) throw damagedParquet();
      if (type === 4 || type === 5) into?.set(field, this.zigZag(5));
      else {
        into?.set(field, type <= 2 ? 2 - type : NaN);
        this.#pass(type, level, inner(field));
      }
    }
  }

  #pass(type: number, level: number, into?: Fields): void {
    if (type === 1 || type === 2) return;
    if (type === 3) this.move(1);
    else if (type >= 4 && type <= 6) this.varInt();
    else if (type === 7) this.move(8);
    else if (type === 8) this.move(this.varInt32());
    else if (type === 12 && level < maxLevels) this.struct(into, undefined, level + 1);
    else if (type === 9 && level < maxLevels) this.#passList(level);
    else throw damagedParquet();
  }

  #passList(level: number): void {
    const head = this.byte();
    const length = head >> 4 === 15 ? this.varInt32() : head >> 4;
    const type = head & 0x0f;
    for (let i = 0; i < length; i++) this.#pass(type < 3 ? 3 : type, level + 1);
  }
}

/** The pages as an OffsetIndex, which hyparquet reads where a file has one. */
export function offsetIndexOf(pages: readonly Page[]): Buffer {
  const parts: number[] = [0x19, 0xfc, ...varInt(pages.length)];
  for (const { offset, size, firstRow } of pages)
    parts.push(
      0x16,
      ...varInt(2 * offset),
      0x15,
      ...varInt(2 * size),
      0x16,
      ...varInt(2 * firstRow),
      0,
    );
  return Buffer.from([...parts, 0]);
}

function varInt(value: number): number[] {
  const bytes: number[] = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) | 0x80);
  return [...bytes, value];
}
