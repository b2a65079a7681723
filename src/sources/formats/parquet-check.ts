import type { ParquetType } from 'hyparquet';
import { PageBytes } from './parquet-bytes.js';
import { damagedParquet, tooLargeParquet } from './parquet-errors.js';
import {
  dataPage,
  dataPage2,
  dictionaryPage,
  maxPageBytes,
  type PageHeader,
} from './parquet-pages.js';

/** What tells how the pages of a column are laid out. */
export interface PageLayout {
  readonly type: ParquetType;
  readonly typeLength: number | undefined;
  readonly maxDefinition: number;
  readonly maxRepetition: number;
}

/** Values that are not of a dictionary become an object each, of 100 bytes and more. */
const maxObjects = 4 * 1024 * 1024;

const plain = 0;
const rle = 3;
const [deltaBinary, deltaLength, deltaBytes] = [5, 6, 7];
const byteStreamSplit = 9;
const alp = 10;

export function isOfDictionary(encoding: number): boolean {
  return encoding === 2 || encoding === 8;
}

/**
 * Refuses a page whose counts and lengths do not fit its bytes. hyparquet trusts them: it would write 2^31 values
 * for a run of a few bytes, and copy any number of bytes for each value. `levels` are those of a page of version 2,
 * and `text` is what follows them, decompressed.
 */
export function checkPage(
  header: PageHeader,
  layout: PageLayout,
  { levels, text }: { levels: Buffer; text: Buffer },
): void {
  const { kind, values, encoding } = header;
  const { maxDefinition, maxRepetition } = layout;
  const bytes = new PageBytes(text);
  let present = values;
  if (kind === dataPage2) {
    const isFlat = maxRepetition === 0;
    if (header.nulls > values || (isFlat && header.rows !== values)) throw damagedParquet();
    if (maxDefinition === 0 && header.definitionBytes > 0) throw damagedParquet();
    const own = new PageBytes(levels);
    if (!isFlat) checkRuns(own, bitWidth(maxRepetition), values);
    own.at = header.repetitionBytes;
    if (maxDefinition > 0) checkRuns(own, bitWidth(maxDefinition), values);
    present -= header.nulls;
  } else if (kind === dataPage) {
    if (maxRepetition > 0) checkLevels(bytes, maxRepetition, values);
    if (maxDefinition > 0) present = checkLevels(bytes, maxDefinition, values);
  }
  if (present === 0) return;
  if (kind === dictionaryPage) checkValues(bytes, plain, present, layout);
  else if (isOfDictionary(encoding)) {
    const width = bytes.byte();
    if (width > 32 || layout.type === 'BOOLEAN') throw damagedParquet();
    // In pages of version 1, hyparquet does not look for runs of no bits.
    if (width > 0 || kind === dataPage2) checkRuns(bytes, width, present);
  } else checkValues(bytes, encoding, present, layout);
}

/** Those of version 1, with their length; how many of them are the highest. */
function checkLevels(bytes: PageBytes, max: number, values: number): number {
  const length = bytes.bits(8 * bytes.at, 32);
  bytes.move(4);
  const end = bytes.at + length;
  const found = checkRuns(bytes, bitWidth(max), values, max);
  bytes.at = 0;
  bytes.move(end);
  return found;
}

function bitWidth(max: number): number {
  return 32 - Math.clz32(max);
}

/** Passes so many values in the hybrid of RLE and bit-packing; how many of them are `wanted`. */
function checkRuns(bytes: PageBytes, width: number, values: number, wanted = -1): number {
  let [seen, found] = [0, 0];
  while (seen < values) {
    const head = bytes.varInt32();
    const length = Math.floor(head / 2);
    const start = 8 * bytes.at;
    const left = values - seen;
    if (head % 2 === 0) {
      if (length > left) throw damagedParquet();
      bytes.move(Math.ceil(width / 8));
      if (wanted >= 0 && bytes.bits(start, 8 * Math.ceil(width / 8)) === wanted) found += length;
      seen += length;
    } else {
      // Groups of 8 values, the last of which may be padded.
      if (8 * length >= left + 8) throw damagedParquet();
      bytes.move(length * width);
      const count = Math.min(8 * length, left);
      for (let i = 0; wanted >= 0 && i < count; i++)
        if (bytes.bits(start + i * width, width) === wanted) found++;
      seen += count;
    }
  }
  return found;
}

function checkValues(
  bytes: PageBytes,
  encoding: number,
  count: number,
  { type, typeLength }: PageLayout,
): void {
  if (encoding === rle && type === 'BOOLEAN') {
    bytes.move(4);
    checkRuns(bytes, 1, count);
    return;
  }
  if (count > maxObjects) throw tooLargeParquet();
  if (encoding === plain || encoding === byteStreamSplit) {
    if (count * leastBits(type, typeLength) > 8 * bytes.rest) throw damagedParquet();
  } else if (encoding === deltaBinary || encoding === deltaLength) passDeltas(bytes, count);
  else if (encoding === deltaBytes) checkDeltaBytes(bytes, count);
  else if (encoding === alp) checkAlp(bytes, bytes.at);
  else throw damagedParquet();
}

function leastBits(type: ParquetType, typeLength: number | undefined): number {
  if (type === 'BOOLEAN') return 1;
  if (type === 'INT96') return 96;
  if (type === 'FIXED_LEN_BYTE_ARRAY') return 8 * (typeLength ?? NaN);
  return type === 'INT64' || type === 'DOUBLE' ? 64 : 32;
}

/** Values that share their beginnings, each of which is copied. */
function checkDeltaBytes(bytes: PageBytes, count: number): void {
  const prefixes = new Int32Array(count);
  const suffixes = new Int32Array(count);
  passDeltas(bytes, count, prefixes);
  passDeltas(bytes, count, suffixes);
  let [length, sum] = [0, 0];
  for (const [i, prefix] of prefixes.entries()) {
    if (prefix < 0 || prefix > length || suffixes[i]! < 0) throw damagedParquet();
    length = prefix + suffixes[i]!;
    sum += length;
    if (sum > maxPageBytes) throw tooLargeParquet();
  }
}

/** Passes integers in DELTA_BINARY_PACKED. Those of 32 bits are decoded if they are wanted. */
function passDeltas(bytes: PageBytes, count: number, into?: Int32Array): void {
  // hyparquet reads integers of 32 bits otherwise if they are longer.
  const maxBytes = into ? 5 : 10;
  const blockSize = bytes.varInt32();
  const miniblocks = bytes.varInt32();
  bytes.varInt32();
  let value = bytes.zigZag(maxBytes);
  if (into && Math.abs(value) > 2 ** 31) throw damagedParquet();
  into?.set([value]);
  const size = blockSize / miniblocks;
  // By the specification it is a multiple of 32; parquet-mr can write multiples of 8.
  if (!(size > 0 && size % 8 === 0) || blockSize >= 2 ** 31) throw damagedParquet();
  for (let i = 1; i < count;) {
    const min = bytes.zigZag(maxBytes);
    const widthsAt = bytes.at;
    bytes.move(miniblocks);
    for (let block = 0; block < miniblocks && i < count; block++) {
      const width = bytes.bytes.readUInt8(widthsAt + block);
      const end = Math.min(i + size, count);
      for (let at = 8 * bytes.at; into && i < end; i++, at += width)
        into[i] = value = (value + min + bytes.bits(at, Math.min(width, 32))) | 0;
      bytes.move((size * width) / 8);
      i = end;
    }
  }
}

/** Vectors of at most 2^15 values, any of which could claim 2^16 exceptions. */
function checkAlp({ bytes }: PageBytes, start: number): void {
  const vectorSize = 2 ** bytes.readUInt8(start + 2);
  const offsets = start + 7;
  for (let v = 0; v * vectorSize < bytes.readInt32LE(start + 3); v++) {
    const vector = offsets + bytes.readUInt32LE(offsets + 4 * v);
    if (bytes.readUInt16LE(vector + 2) > vectorSize) throw damagedParquet();
  }
}
