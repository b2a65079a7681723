import type {
  ColumnChunk,
  ColumnMetaData,
  Compressors,
  DecodedArray,
  FileMetaData,
  OffsetIndex,
  ParquetScan,
  RowGroup,
  SchemaTree,
} from 'hyparquet';
import { readAll, type RandomAccess } from '../random-access.js';
import type { PageLayout } from './parquet-check.js';
import { ChunkFile } from './parquet-chunks.js';
import { PageDecompressor } from './parquet-codecs.js';
import { damagedParquet, tooLargeParquet } from './parquet-errors.js';
import { findPages, offsetIndexOf, type Page } from './parquet-pages.js';
import { parsers } from './parquet-values.js';

/** What is used of hyparquet, which is loaded late. */
export type Library = Pick<
  typeof import('hyparquet'),
  'parquetMetadataAsync' | 'parquetScan' | 'parquetSchema' | 'readOffsetIndex'
> & { readonly compressors: Compressors };

/** Of columns with several parts, whose pages end at different rows, so many rows are decoded at a time. */
const maxRows = 64 * 1024;

/** That of half a million pages. */
const maxIndexBytes = 8 * 1024 * 1024;

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
  readonly #hyparquet: Library;
  readonly #decompressor: PageDecompressor;
  #scan!: ParquetScan;
  #columns: OpenColumn[] = [];
  #values: unknown[] = [];
  #knownUntil = 0;

  constructor(source: RandomAccess, metadata: FileMetaData, group: RowGroup, hyparquet: Library) {
    this.#source = source;
    this.#metadata = metadata;
    this.#group = group;
    this.#hyparquet = hyparquet;
    this.#decompressor = new PageDecompressor(hyparquet.compressors);
  }

  /** Finds the pages of the columns with these names. */
  async open(keys: readonly string[]): Promise<void> {
    const tree = this.#hyparquet.parquetSchema(this.#metadata);
    const file = new ChunkFile(this.#source, this.#decompressor);
    const starts = new Map<string, (readonly number[] | undefined)[]>(keys.map((key) => [key, []]));
    const columns: ColumnChunk[] = [];
    for (const column of this.#group.columns) {
      const meta = column.meta_data!;
      const layout = layoutOf(tree, meta);
      const pages = await this.#pagesOf(column, layout);
      const start = startOf(meta);
      const length = Number(meta.total_compressed_size);
      if (!(start >= 0 && length >= 0 && start + length <= this.#source.size))
        throw damagedParquet();
      const moved = file.byteLength - start;
      const index = pages
        ? offsetIndexOf(pages.map((page) => ({ ...page, offset: page.offset + moved })))
        : Buffer.alloc(0);
      columns.push(movedColumn(meta, moved, pages && index.length));
      starts.get(meta.path_in_schema[0] ?? '')?.push(pages?.map(({ firstRow }) => firstRow));
      file.append({ start, length, codec: meta.codec, layout, index });
    }
    const metadata = { ...this.#metadata, row_groups: [{ ...this.#group, columns }] };
    const compressors = this.#decompressor.kept;
    const options = { file, metadata, compressors, parsers, utf8: false };
    this.#scan = await this.#hyparquet.parquetScan(options);
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
      this.#decompressor.clear();
      if (column.data.length !== end - start) throw damagedParquet();
      Object.assign(column, { start, end });
    }
    this.#knownUntil = Math.min(...this.#columns.map(({ end }) => end));
  }

  /** The values of a row, one for each column; valid until the next call. */
  values(row: number): readonly unknown[] {
    const [columns, values] = [this.#columns, this.#values];
    for (let i = 0; i < columns.length; i++) {
      const { data, start } = columns[i]!;
      values[i] = data[row - start];
    }
    return values;
  }

  #rangeEnd({ pageStarts }: OpenColumn, row: number): number {
    const rows = Number(this.#group.num_rows);
    const ends = pageStarts.map((starts) => starts?.find((start) => start > row) ?? rows);
    // Each call would decode all of a part whose pages are not known.
    if (pageStarts.includes(undefined)) return rows;
    return Math.max(Math.min(...ends), Math.min(row + maxRows, Math.max(...ends)));
  }

  async #pagesOf(column: ColumnChunk, layout: PageLayout): Promise<Page[] | undefined> {
    const meta = column.meta_data!;
    const rows = Number(this.#group.num_rows);
    const isRepeated = layout.maxRepetition > 0;
    const pages = await findPages(this.#source, meta, { rows, isRepeated });
    const { offset_index_offset: offset, offset_index_length: length } = column;
    if (pages || offset === undefined || length === undefined) return pages;
    if (length > maxIndexBytes) throw tooLargeParquet();
    const bytes = await readAll(this.#source, Number(offset), Number(offset) + length);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    return pagesOf(this.#hyparquet.readOffsetIndex({ view, offset: 0 }), rows, meta);
  }
}

/** Those of the index that the file has. */
function pagesOf(
  { page_locations: locations }: OffsetIndex,
  rows: number,
  column: ColumnMetaData,
): Page[] {
  const start = startOf(column);
  const end = start + Number(column.total_compressed_size);
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
  const inColumn = pages.every(({ offset, size }) => offset >= start && offset + size <= end);
  if (!inOrder || !inColumn || (pages.at(-1)?.firstRow ?? 0) > rows) throw damagedParquet();
  return pages;
}

function layoutOf(tree: SchemaTree, { path_in_schema, type }: ColumnMetaData): PageLayout {
  let node = tree;
  let maxDefinition = 0;
  let maxRepetition = tree.element.repetition_type === 'REPEATED' ? 1 : 0;
  for (const name of path_in_schema) {
    const child = node.children.find(({ element }) => element.name === name);
    if (!child) throw damagedParquet();
    if (child.element.repetition_type === 'REPEATED') maxRepetition++;
    if (child.element.repetition_type !== 'REQUIRED') maxDefinition++;
    node = child;
  }
  return { type, typeLength: node.element.type_length, maxDefinition, maxRepetition };
}

function startOf({ dictionary_page_offset, data_page_offset }: ColumnMetaData): number {
  return Number(dictionary_page_offset ?? 0n) || Number(data_page_offset);
}

/** The column at its place in the file of chunks, with its index behind it if it has one. */
function movedColumn(
  meta: ColumnMetaData,
  moved: number,
  indexLength: number | undefined,
): ColumnChunk {
  const { dictionary_page_offset: dictionary, data_page_offset: data } = meta;
  const moves = (offset: bigint): bigint => offset + BigInt(moved);
  const meta_data = {
    ...meta,
    data_page_offset: moves(data),
    ...(dictionary && { dictionary_page_offset: moves(dictionary) }),
  };
  const end = BigInt(startOf(meta)) + meta.total_compressed_size;
  if (indexLength === undefined) return { file_offset: 0n, meta_data };
  return {
    file_offset: 0n,
    meta_data,
    offset_index_offset: moves(end),
    offset_index_length: indexLength,
  };
}
