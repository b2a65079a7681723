import type { ColumnMetaData } from 'hyparquet';
import { readAll, type RandomAccess } from '../random-access.js';
import { damagedParquet, tooLargeParquet } from './parquet-errors.js';

/** A data page of a column: its bytes with its header, and its first row in the row group. */
export interface Page {
  readonly offset: number;
  readonly size: number;
  readonly firstRow: number;
}

/** A page is decoded as a whole, so these are the limits of memory; writers make pages of about 1 MB. */
const maxPageBytes = 256 * 1024 * 1024;
const maxPageValues = 32 * 1024 * 1024;
const headerBytes = 64 * 1024;
const maxHeaderBytes = 1024 * 1024;

const dataPage = 0;
const dictionaryPage = 2;
const dataPage2 = 3;

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
    if (pageEnd > end || header.size < 0) throw damagedParquet();
    const counts = header.kind === dataPage2 ? header.rows : header.values;
    const isData = header.kind === dataPage || header.kind === dataPage2;
    isKnown &&= !isRepeated || header.kind !== dataPage;
    // Pages that cannot be told apart are decoded together.
    bytes = (isKnown ? 0 : bytes) + header.textSize;
    values = (isKnown ? 0 : values) + header.values;
    if (bytes > maxPageBytes || values > maxPageValues) throw tooLargeParquet();
    if (isData) pages.push({ offset: at, size: pageEnd - at, firstRow: row });
    else if (header.kind === dictionaryPage && pages.length > 0) throw damagedParquet();
    if (isData) row += counts;
    at = pageEnd;
  }
  if (!isKnown) return undefined;
  if (row !== rows) throw damagedParquet();
  return pages;
}

interface PageHeader {
  readonly kind: number;
  readonly length: number;
  /** Of the compressed page, and of its content. */
  readonly size: number;
  readonly textSize: number;
  readonly values: number;
  readonly rows: number;
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
function pageHeader(bytes: Buffer): PageHeader | undefined {
  const reader = new ThriftReader(bytes);
  const top = new Map<number, number>();
  const version1 = new Map<number, number>();
  const dictionary = new Map<number, number>();
  const version2 = new Map<number, number>();
  reader.struct(top, (field) => [undefined, version1, undefined, dictionary, version2][field - 4]);
  if (reader.isCut) return undefined;
  const values = (version1.get(1) ?? 0) + (dictionary.get(1) ?? 0) + (version2.get(1) ?? 0);
  return {
    kind: top.get(1) ?? -1,
    length: reader.at,
    size: top.get(3) ?? -1,
    textSize: top.get(2) ?? 0,
    values: Math.max(0, values),
    rows: Math.max(0, version2.get(3) ?? 0),
  };
}

/** Levels of nesting in a header; real ones have 3. */
const maxLevels = 16;

/** Reads the integers of a struct, and passes all else. */
class ThriftReader {
  at = 0;
  isCut = false;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** `inner` has the maps for structs within, by their fields. */
  struct(
    into: Map<number, number> | undefined,
    inner: (field: number) => Map<number, number> | undefined = () => undefined,
    level = 0,
  ): void {
    let field = 0;
    for (;;) {
      const head = this.#byte();
      const type = head & 0x0f;
      if (type === 0 || this.isCut) return;
      field = head >> 4 ? field + (head >> 4) : this.#zigZag();
      if (type >= 4 && type <= 6) into?.set(field, this.#zigZag());
      else if (type === 12 && level < maxLevels) this.struct(inner(field), undefined, level + 1);
      else this.#pass(type, level);
    }
  }

  #pass(type: number, level: number): void {
    if (type === 1 || type === 2) return;
    if (type === 3) this.#byte();
    else if (type >= 4 && type <= 6) this.#varInt();
    else if (type === 7) this.#move(8);
    else if (type === 8) this.#move(this.#varInt());
    else if (type === 12 && level < maxLevels) this.struct(undefined, undefined, level + 1);
    else if ((type === 9 || type === 10) && level < maxLevels) this.#passList(level);
    else throw damagedParquet();
  }

  #passList(level: number): void {
    const head = this.#byte();
    const count = head >> 4 === 15 ? this.#varInt() : head >> 4;
    const type = head & 0x0f;
    for (let i = 0; i < count && !this.isCut; i++) this.#pass(type < 3 ? 3 : type, level + 1);
  }

  #byte(): number {
    const byte = this.#bytes[this.at];
    this.isCut ||= byte === undefined;
    this.at++;
    return byte ?? 0;
  }

  #move(count: number): void {
    this.at += count;
    this.isCut ||= this.at > this.#bytes.length;
  }

  #varInt(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80 || this.isCut) return value;
      if (factor > 2 ** 56) throw damagedParquet();
    }
  }

  #zigZag(): number {
    const value = this.#varInt();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
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
