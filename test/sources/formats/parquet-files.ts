import { parquetWriteBuffer, type ColumnSource } from 'hyparquet-writer';
import { parquetLines } from '../../../src/sources/formats/parquet.js';
import type { RandomAccess } from '../../../src/sources/random-access.js';

/** A file in memory, which counts what is read of it at once. */
export class Memory implements RandomAccess {
  readonly size: number;
  largest = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.size = bytes.length;
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- a source of bytes is asynchronous
  async *read(start: number, end: number): AsyncGenerator<Buffer> {
    this.largest = Math.max(this.largest, end - start);
    const middle = Math.floor((start + end) / 2);
    yield this.#bytes.subarray(start, middle);
    yield this.#bytes.subarray(middle, end);
  }
}

type Options = Partial<Parameters<typeof parquetWriteBuffer>[0]>;
/** That of the writer, which has a version of hyparquet of its own. */
export type SchemaElement = NonNullable<Options['schema']>[number];

export function fileOf(columnData: ColumnSource[], options: Options = {}): Buffer {
  return Buffer.from(parquetWriteBuffer({ columnData, ...options }));
}

/** A file with one column of this type. */
export function typedFile(
  element: Partial<SchemaElement>,
  data: unknown[],
  { encoding, ...options }: Options & Pick<ColumnSource, 'encoding'> = {},
): Buffer {
  const schema: SchemaElement[] = [
    { name: 'root', num_children: 1 },
    { name: 'v', repetition_type: 'OPTIONAL', ...element },
  ];
  const column = { name: 'v', data, ...(encoding && { encoding }) };
  return fileOf([column], { schema, statistics: false, ...options });
}

export async function read(source: RandomAccess, from = 0, to = Infinity): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of parquetLines(source, { from, to })) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

export const linesOf = async (file: Buffer): Promise<string[]> =>
  (await read(new Memory(file))).split('\n').slice(0, -1);

/** A value of Thrift: an integer of 32 bits, one of 64, bytes, a list, or a struct by its field numbers. */
export type Thrift = number | bigint | boolean | string | Thrift[] | { [field: number]: Thrift };

const thriftType = (value: Thrift): number => {
  if (typeof value === 'number') return 5;
  if (typeof value === 'bigint') return 6;
  if (typeof value === 'boolean') return value ? 1 : 2;
  if (typeof value === 'string') return 8;
  return Array.isArray(value) ? 9 : 12;
};

export function varInt(value: number | bigint): number[] {
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
}

export function thrift(value: Thrift): number[] {
  if (typeof value === 'number') return varInt(value < 0 ? -2 * value - 1 : 2 * value);
  if (typeof value === 'bigint') return varInt(2n * value);
  if (typeof value === 'boolean') return [];
  if (typeof value === 'string') return [...varInt(value.length), ...Buffer.from(value)];
  if (Array.isArray(value))
    return [(value.length << 4) | thriftType(value[0]!), ...value.flatMap(thrift)];
  let last = 0;
  const fields = Object.entries(value).flatMap(([key, member]) => {
    const head = ((Number(key) - last) << 4) | thriftType(member);
    last = Number(key);
    return [head, ...thrift(member)];
  });
  return [...fields, 0];
}

export interface HandMade {
  /** The elements of the schema below its root, which is one column. */
  readonly schema: Thrift[];
  readonly path: string[];
  /** The number of the physical type, and of the codec. */
  readonly type: number;
  readonly codec?: number;
  readonly rows: number;
  /** Headers of pages without sizes, and what follows them. */
  readonly pages: {
    header: Record<number, Thrift>;
    bytes: Buffer;
    textSize?: number;
    /** Its row in an index of the pages, and how far its offset there is off. */
    firstRow?: number;
    shift?: number;
  }[];
}

/** A file with pages that the writer does not write: of version 1, or damaged ones. */
export function handMade({ schema, path, type, codec = 0, rows, pages }: HandMade): Buffer {
  const locations: Thrift[] = [];
  let chunk = Buffer.alloc(0);
  for (const { header, bytes, textSize = bytes.length, firstRow, shift = 0 } of pages) {
    const whole = { ...header, 2: textSize, 3: bytes.length };
    const page = Buffer.concat([Buffer.from(thrift(whole)), bytes]);
    if (firstRow !== undefined)
      locations.push({ 1: BigInt(4 + chunk.length + shift), 2: page.length, 3: BigInt(firstRow) });
    chunk = Buffer.concat([chunk, page]);
  }
  const index = Buffer.from(locations.length > 0 ? thrift({ 1: locations }) : []);
  const size = BigInt(chunk.length);
  const isFirstDictionary = pages[0]?.header[1] === 2;
  const column = {
    1: type,
    2: [0],
    3: path,
    4: codec,
    5: BigInt(rows),
    6: size,
    7: size,
    9: 4n,
    ...(isFirstDictionary && { 11: 4n }),
  };
  const place = index.length > 0 && { 4: BigInt(4 + chunk.length), 5: index.length };
  const group = { 1: [{ 2: 0n, 3: column, ...place }], 2: size, 3: BigInt(rows) };
  const root = { 4: 'root', 5: 1 };
  const metadata = Buffer.from(thrift({ 1: 1, 2: [root, ...schema], 3: BigInt(rows), 4: [group] }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(metadata.length);
  return Buffer.concat([Buffer.from('PAR1'), chunk, index, metadata, length, Buffer.from('PAR1')]);
}
