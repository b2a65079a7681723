import type { RowRange } from '../row-range.js';
import type { RandomAccess } from '../random-access.js';
import { listAt } from './json-documents.js';
import { skipSpace } from './json-value.js';
import type { Format } from './kinds.js';
import { separatorOf } from './text-formats.js';

/** What a user says of a file, where its bytes do not say it. */
export interface GivenFormat {
  readonly format?: GivenFormatName | undefined;
  /** The names of the columns of CSV or TSV without a header. */
  readonly columns?: readonly string[] | undefined;
  /** Whether a quote begins a quoted cell. Default true. */
  readonly hasQuotes?: boolean | undefined;
}

export const givenFormatNames = ['ndjson', 'json', 'csv', 'tsv', 'parquet'] as const;
export type GivenFormatName = (typeof givenFormatNames)[number];

/** What a decoder needs besides the bytes. */
export interface DecodeContext extends GivenFormat {
  /** The name of the input, for messages. */
  readonly name: string;
  /** The first bytes of the text. */
  readonly start: Buffer;
  /** The stored bytes at any offset; undefined for what can only be read from its start. */
  readonly access: (() => Promise<RandomAccess>) | undefined;
  /** Of a table. Default: all. */
  readonly rows?: RowRange | undefined;
}

type Decoder = (chunks: AsyncIterable<Buffer>, context: DecodeContext) => AsyncGenerator<Buffer>;

/** Formats that are read as NDJSON: one record a line. Their readers are loaded when one is needed. */
const decoders: Partial<Record<Format, Decoder>> = {
  'json-array': jsonDecoder(undefined),
  'json-batch': jsonDecoder('batch'),
  'json-events': jsonDecoder('events'),
  'json-data': jsonDecoder('data'),
  csv: (chunks, context) => csv(chunks, context, csvSeparator(context.start)),
  tsv: (chunks, context) => csv(chunks, context, '\t'),
  har: async function* (chunks, { name }) {
    const { harAsLines } = await import('./har-lines.js');
    yield* harAsLines(chunks, name, { isKnown: true });
  },
  parquet: async function* (chunks, { access, rows }) {
    // It is read by offsets; the chunks were only needed to tell what it is.
    await chunks[Symbol.asyncIterator]().return?.(undefined);
    const { parquetLines } = await import('./parquet.js');
    yield* parquetLines(await access!(), rows);
  },
};

/** Undefined for a format that cannot be read, or not from the start on. */
export function decoderOf(
  format: Format,
  { access }: Pick<DecodeContext, 'access'>,
): Decoder | undefined {
  return format === 'parquet' && !access ? undefined : decoders[format];
}

function jsonDecoder(list: 'batch' | 'events' | 'data' | undefined): Decoder {
  return async function* (chunks) {
    const { jsonArrayLines } = await import('./json-array.js');
    yield* jsonArrayLines(chunks, list ? { list } : {});
  };
}

type Separator = ',' | ';' | '\t';

async function* csv(
  chunks: AsyncIterable<Buffer>,
  { name, columns, hasQuotes }: DecodeContext,
  separator: Separator,
): AsyncGenerator<Buffer> {
  const { csvLines } = await import('./csv.js');
  yield* csvLines(chunks, {
    separator,
    name,
    ...(columns && { columns }),
    ...(hasQuotes !== undefined && { hasQuotes }),
  });
}

/** The first line, of which a comma is the most frequent separator unless it has more semicolons. */
function csvSeparator(start: Buffer): Separator {
  const [line = ''] = start.toString('utf8').split('\n', 1);
  return separatorOf(line) === ';' ? ';' : ',';
}

/** The format that a given one means for bytes that were detected as another. */
export function formatFor(
  given: GivenFormatName,
  detected: Format | undefined,
  start: Buffer,
): Format | undefined {
  if (given === 'ndjson') return undefined;
  if (given !== 'json') return given;
  if (detected?.startsWith('json-') && detected !== 'json-object') return detected;
  const at = skipSpace(start, 0);
  return start[at] === 0x7b ? (listAt(start, at) ?? 'json-array') : 'json-array';
}
