import type {
  AsyncBuffer,
  ColumnChunk,
  Compressors,
  DecodedArray,
  FileMetaData,
  OffsetIndex,
  ParquetScan,
  RowGroup,
  SchemaTree,
} from 'hyparquet';
import { readAll, type RandomAccess } from '../random-access.js';
import { damagedParquet, truncatedParquet } from './parquet-errors.js';
import { findPages, offsetIndexOf, type Page } from './parquet-pages.js';
import { parsers } from './parquet-values.js';

/** What is used of hyparquet, which is loaded late. */
export type Library = Pick<
  typeof import('hyparquet'),
  'parquetMetadataAsync' | 'parquetScan' | 'parquetSchema' | 'readOffsetIndex'
> & { readonly compressors: Compressors };

/** Of columns with several parts, whose pages end at different rows, so many rows are decoded at a time. */
const maxRows = 64 * 1024;

interface OpenColumn {
  readonly key: string;
  /** The first rows of the pages of each part; undefined if they are not known. */
  readonly pageStarts: readonly (readonly number[] | undefined)[];
  data: DecodedArray;
  start: number;
  end: number;
}

/**
 * The columns of a row group, read page by page. hyparquet reads single pages of files that have an index of
 * their pages, and whole row groups of others; so each file gets such an index here, behind its end.
 */
export class RowGroupColumns {
  readonly #source: RandomAccess;
  readonly #metadata: FileMetaData;
  readonly #group: RowGroup;
  readonly #library: Library;
  #scan!: ParquetScan;
  #columns: OpenColumn[] = [];
  #values: unknown[] = [];
  #knownUntil = 0;

  constructor(source: RandomAccess, metadata: FileMetaData, group: RowGroup, library: Library) {
    this.#source = source;
    this.#metadata = metadata;
    this.#group = group;
    this.#library = library;
  }

  /** Finds the pages of the columns with these names. */
  async open(keys: readonly string[]): Promise<void> {
    const tree = this.#library.parquetSchema(this.#metadata);
    const indexes: Buffer[] = [];
    const starts = new Map<string, (readonly number[] | undefined)[]>(keys.map((key) => [key, []]));
    let indexAt = this.#source.size;
    const columns: ColumnChunk[] = [];
    for (const column of this.#group.columns) {
      const [key = ''] = column.meta_data!.path_in_schema;
      const pages = await this.#pagesOf(column, tree);
      const index = pages ? offsetIndexOf(pages) : Buffer.alloc(0);
      columns.push(withIndex(column, pages && indexAt, index.length));
      starts.get(key)?.push(pages?.map(({ firstRow }) => firstRow));
      indexes.push(index);
      indexAt += index.length;
    }
    const metadata = { ...this.#metadata, row_groups: [{ ...this.#group, columns }] };
    const file = withIndexes(this.#source, Buffer.concat(indexes));
    const { compressors, parquetScan } = this.#library;
    this.#scan = await parquetScan({ file, metadata, compressors, parsers, utf8: false });
    this.#columns = [...starts].map(([key, pageStarts]) => {
      if (pageStarts.length === 0) throw damagedParquet();
      return { key, pageStarts, data: [], start: 0, end: 0 };
    });
    this.#values = new Array<unknown>(this.#columns.length);
  }

  /** Rows before this one are decoded. */
  get knownUntil(): number {
    return this.#knownUntil;
  }

  /** Decodes the pages that a row is in, and frees those before. */
  async load(row: number): Promise<void> {
    for (const column of this.#columns) {
      if (row < column.end) continue;
      const [start, end] = [row, this.#rangeEnd(column, row)];
      column.data = [];
      column.data = await this.#scan.readColumn({
        column: column.key,
        rowStart: start,
        rowEnd: end,
      });
      if (column.data.length !== end - start) throw damagedParquet();
      Object.assign(column, { start, end });
    }
    this.#knownUntil = Math.min(...this.#columns.map(({ end }) => end));
  }

  /** The values of a row, one for each column; valid until the next call. */
  values(row: number): readonly unknown[] {
    for (const [i, { data, start }] of this.#columns.entries()) this.#values[i] = data[row - start];
    return this.#values;
  }

  #rangeEnd({ pageStarts }: OpenColumn, row: number): number {
    const rows = Number(this.#group.num_rows);
    const ends = pageStarts.map((starts) => starts?.find((start) => start > row) ?? rows);
    // Each call would decode all of a part whose pages are not known.
    if (pageStarts.includes(undefined)) return rows;
    return Math.max(Math.min(...ends), Math.min(row + maxRows, Math.max(...ends)));
  }

  async #pagesOf(column: ColumnChunk, tree: SchemaTree): Promise<Page[] | undefined> {
    const meta = column.meta_data!;
    const rows = Number(this.#group.num_rows);
    const isRepeated = isInList(tree, meta.path_in_schema);
    const pages = await findPages(this.#source, meta, { rows, isRepeated });
    const { offset_index_offset: offset, offset_index_length: length } = column;
    if (pages || offset === undefined || length === undefined) return pages;
    const bytes = await readAll(this.#source, Number(offset), Number(offset) + length);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    return pagesOf(this.#library.readOffsetIndex({ view, offset: 0 }), rows);
  }
}

/** Those of the index that the file has. */
function pagesOf({ page_locations: locations }: OffsetIndex, rows: number): Page[] {
  const pages = locations.map(({ offset, compressed_page_size, first_row_index }) => {
    return {
      offset: Number(offset),
      size: compressed_page_size,
      firstRow: Number(first_row_index),
    };
  });
  const inOrder = pages.every(({ firstRow }, i) =>
    firstRow === 0 ? i === 0 : firstRow > (pages[i - 1]?.firstRow ?? rows),
  );
  if (!inOrder || (pages.at(-1)?.firstRow ?? 0) > rows) throw damagedParquet();
  return pages;
}

function isInList(tree: SchemaTree, path: readonly string[]): boolean {
  let node = tree;
  for (const name of path) {
    const child = node.children.find(({ element }) => element.name === name);
    if (!child) throw damagedParquet();
    if (child.element.repetition_type === 'REPEATED') return true;
    node = child;
  }
  return false;
}

/** The column with its index at another place, or without one. */
function withIndex(column: ColumnChunk, at: number | undefined, length: number): ColumnChunk {
  const { file_offset, meta_data } = column;
  const plain = { file_offset, ...(meta_data && { meta_data }) };
  if (at === undefined) return plain;
  return { ...plain, offset_index_offset: BigInt(at), offset_index_length: length };
}

/** The file with the indexes behind its end. */
function withIndexes(source: RandomAccess, indexes: Buffer): AsyncBuffer {
  const { size } = source;
  const read = async (start: number, end: number): Promise<ArrayBuffer> => {
    const bytes =
      start >= size
        ? indexes.subarray(start - size, end - size)
        : await readAll(source, start, end);
    if (bytes.length < end - start) throw truncatedParquet();
    return new Uint8Array(bytes).buffer;
  };
  return {
    byteLength: size + indexes.length,
    slice: (start, end = size + indexes.length) => {
      const bytes = read(start, end);
      // Where another read fails first, nobody may wait for this one.
      bytes.catch(() => undefined);
      return bytes;
    },
  };
}
