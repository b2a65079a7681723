import type { Format } from './kinds.js';

/** A fixed sequence of bytes at the start of a file; `.` stands for any byte. */
const signatures: readonly (readonly [Format, RegExp])[] = [
  ['zip', /^PK(?:\x03\x04|\x05\x06|\x07\x08)/],
  ['7z', /^7z\xbc\xaf\x27\x1c/],
  ['gzip', /^\x1f\x8b\x08/],
  ['zstd', /^(?:\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18)/],
  ['xz', /^\xfd7zXZ\x00/],
  ['bzip2', /^BZh[1-9](?:1AY&SY|\x17\x72\x45\x38\x50\x90)/],
  ['lz4', /^\x04\x22\x4d\x18/],
  // It is followed by a record of the Thrift compact protocol.
  ['parquet', /^PAR1[\x00-\x08\x0e-\x1f]/],
  // A byte order mark, then a character of ASCII soon: JSON has them everywhere.
  ['utf-16le', /^\xff\xfe(?:..){0,31}?[\x01-\x7f]\x00/s],
  ['utf-16be', /^\xfe\xff(?:..){0,31}?\x00[\x01-\x7f]/s],
  // Without the mark: only ASCII, for as long as chance cannot explain.
  ['utf-16le', /^(?:[\x09-\x7e]\x00){8}/],
  ['utf-16be', /^(?:\x00[\x09-\x7e]){8}/],
];

const maxSignature = 66;

export function isZstd(start: Buffer): boolean {
  return binaryFormat(start) === 'zstd';
}

/** The format of a file by its signature; undefined without one. */
export function binaryFormat(start: Buffer): Format | undefined {
  const text = start.toString('latin1', 0, maxSignature);
  const found = signatures.find(([, form]) => form.test(text));
  return found?.[0] ?? (isTar(start) ? 'tar' : undefined);
}

const headerBytes = 512;
const checksumAt = 148;
const checksumBytes = 8;

/** By the checksum of its first header, which archives of all tar programs have, also before POSIX. */
function isTar(start: Buffer): boolean {
  if (start.length < headerBytes || start[0] === 0) return false;
  const field = start.toString('latin1', checksumAt, checksumAt + checksumBytes);
  const [, octal] = /^ *([0-7]+)[\0 ]/.exec(field) ?? [];
  if (octal === undefined) return false;
  let sum = checksumBytes * 0x20;
  for (let at = 0; at < headerBytes; at++) {
    if (at < checksumAt || at >= checksumAt + checksumBytes) sum += start[at]!;
  }
  return sum === parseInt(octal, 8);
}
