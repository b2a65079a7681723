import type { AsyncBuffer, FileMetaData, RowGroup, SchemaTree } from 'hyparquet';
import type { RowRange } from '../row-range.js';
import { readAll, type RandomAccess } from '../random-access.js';
import { SourceError } from '../source-error.js';
import { DecodedText } from './decoded-text.js';
import { damagedParquet, truncatedParquet, unsupportedParquet } from './parquet-errors.js';
import { RowGroupColumns, type Library } from './parquet-columns.js';
import { parsers, rawElement, safeName, valueTextOf, type ValueText } from './parquet-values.js';
import { rejectedLine } from './rejected-line.js';

const magic = Buffer.from('PAR1');

export function isParquet(start: Buffer): boolean {
  return start.subarray(0, magic.length).equals(magic);
}

/**
 * The number of rows of each row group, each of which can be read alone.
 *
 * @throws SourceError when the metadata cannot be read
 */
export async function rowGroupsOf(source: RandomAccess): Promise<number[]> {
  const { row_groups } = await readMetadata(source, await loadHyparquet());
  return row_groups.map(rowsOf);
}

/**
 * The rows of a Parquet file as NDJSON, one line for each: line n is row n, or that of `range`, by default all. At a time, one page of each
 * column is in memory; of a list column whose pages do not tell their rows, one row group.
 *
 * Integers and decimals keep every digit. Timestamps are ISO 8601 in UTC with the digits of their unit, dates
 * are `YYYY-MM-DD`. NULL is no member, and null within a list. NaN and infinities are null. Bytes are text if they
 * are UTF-8, else base64; a row whose text column is not UTF-8 is a rejected line. A JSON column is JSON
 * where it parses, else text.
 *
 * @throws SourceError when the file cannot be read on, after the rows before
 */
export async function* parquetLines(
  source: RandomAccess,
  { from, to }: RowRange = { from: 0, to: Infinity },
): AsyncGenerator<Buffer> {
  const text = new DecodedText();
  try {
    const hyparquet = await loadHyparquet();
    const metadata = await readMetadata(source, hyparquet);
    const columns = columnsOf(hyparquet.parquetSchema(metadata));
    const raw = rawMetadata(metadata);
    let first = 0;
    for (const group of raw.row_groups) {
      const rows = rowsOf(group);
      if (columns.length === 0) throw damagedParquet();
      if (first >= to) break;
      if (first + rows > from) {
        const reader = new RowGroupColumns(source, raw, group, hyparquet);
        await reader.open(columns.map(({ key }) => key));
        const end = Math.min(rows, to - first);
        for (let row = Math.max(0, from - first); row < end; row++) {
          if (row >= reader.knownUntil) await reader.load(row);
          appendRow(text, reader.values(row), columns);
          if (text.isFull) yield text.take();
        }
      }
      first += rows;
    }
  } catch (error) {
    if (text.length > 0) yield text.take();
    throw error instanceof SourceError ? error : damagedParquet(error);
  }
  if (text.length > 0) yield text.take();
}

function rowsOf({ num_rows }: RowGroup): number {
  const rows = Number(num_rows);
  if (rows >= 0) return rows;
  throw damagedParquet();
}

/** Both are loaded only when a Parquet file is read. */
async function loadHyparquet(): Promise<Library> {
  const [hyparquet, { compressors }] = await Promise.all([
    import('hyparquet'),
    import('hyparquet-compressors'),
  ]);
  return { ...hyparquet, compressors };
}

/** The metadata is at the end. It is in memory as a whole; that of a million row groups is some 100 MB. */
const maxMetadataBytes = 128 * 1024 * 1024;

async function readMetadata(
  source: RandomAccess,
  { parquetMetadataAsync }: Library,
): Promise<FileMetaData> {
  const { size } = source;
  const end = await readAll(source, Math.max(0, size - 8), size);
  if (end.subarray(4).toString('latin1') === 'PARE') throw encrypted();
  if (size < 12 || !end.subarray(4).equals(magic)) throw truncatedParquet();
  const length = end.readUInt32LE(0);
  if (length > size - 12 || length > maxMetadataBytes) throw damagedParquet();
  const metadata = await parquetMetadataAsync(asyncBuffer(source), { parsers, geoparquet: false });
  for (const group of metadata.row_groups) for (const column of group.columns) check(column);
  return metadata;
}

const codecs = ['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'BROTLI', 'ZSTD', 'LZ4', 'LZ4_RAW'];

function check({
  meta_data: meta,
  file_path,
  encrypted_column_metadata,
}: RowGroup['columns'][0]): void {
  if (encrypted_column_metadata) throw encrypted();
  if (file_path !== undefined)
    throw unsupportedParquet('is in other files', 'pass the files that have the rows');
  if (!meta) throw damagedParquet();
  if (!codecs.includes(meta.codec))
    throw unsupportedParquet(
      `is compressed with ${meta.codec}`,
      'write it again with SNAPPY, GZIP or ZSTD',
    );
}

function encrypted(): SourceError {
  return unsupportedParquet('is encrypted', 'decrypt the file and run again');
}

export function asyncBuffer(source: RandomAccess): AsyncBuffer {
  return {
    byteLength: source.size,
    slice: async (start, end = source.size) => {
      const bytes = await readAll(source, start, end);
      if (bytes.length < end - start) throw truncatedParquet();
      return new Uint8Array(bytes).buffer;
    },
  };
}

/** What hyparquet gets: types that it does not convert with a loss, and names that it can use. */
function rawMetadata(metadata: FileMetaData): FileMetaData {
  const row_groups = metadata.row_groups.map((group) => ({
    ...group,
    columns: group.columns.map((column) => ({
      ...column,
      meta_data: {
        ...column.meta_data!,
        path_in_schema: column.meta_data!.path_in_schema.map(safeName),
      },
    })),
  }));
  return { ...metadata, schema: metadata.schema.map(rawElement), row_groups };
}

interface RowColumn {
  readonly key: string;
  readonly name: string;
  /** The name as JSON text with its colon. */
  readonly prefix: string;
  readonly text: ValueText;
}

function columnsOf({ children }: SchemaTree): RowColumn[] {
  return children.map((node) => {
    const { name } = node.element;
    return {
      key: safeName(name),
      name,
      prefix: `${JSON.stringify(name)}:`,
      text: valueTextOf(node),
    };
  });
}

function appendRow(
  text: DecodedText,
  values: readonly unknown[],
  columns: readonly RowColumn[],
): void {
  let members = '';
  let notText: string | undefined;
  const findings = { hasNotText: false };
  for (let i = 0; i < columns.length; i++) {
    const value = values[i];
    if (value === null || value === undefined) continue;
    const { name, prefix, text: textOf } = columns[i]!;
    const valueText = textOf(value, findings);
    if (findings.hasNotText) notText ??= name;
    members += members === '' ? prefix + valueText : `,${prefix}${valueText}`;
  }
  const row = `{${members}}`;
  if (notText === undefined) {
    // A character is three bytes at most.
    text.reserve(3 * row.length);
    text.end += text.bytes.write(row, text.end);
  } else {
    const message = `the column ${JSON.stringify(notText)} is not valid UTF-8`;
    text.append(rejectedLine({ code: 'not_utf8', message }, Buffer.from(row)));
  }
  text.endLines(text.newlines + 1);
}
