import { closeSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { isZstd } from './formats/binary.js';
import type { GivenFormat } from './formats/decode.js';
import { isGzip } from './gunzip.js';
import type { RandomAccess } from './random-access.js';
import type { RowRange } from './row-range.js';
import { SourceError } from './source-error.js';

/** An event file, or standard input. */
export interface Input {
  /** As the user wrote it; `-` is standard input. */
  readonly name: string;
  /** Bytes on disk; undefined if unknown. */
  readonly size: number | undefined;
  /** Whether it can be read again: neither a pipe nor standard input. */
  readonly isFile: boolean;
  /** Standard input that nobody asked for by `-`: without a byte it is an error. */
  readonly isImplied?: true;
  /** Where its bytes are, if not in the file `name`. */
  readonly object?: StoredObject;
  /** How its text is stored; `checkFormats` sets it. */
  layout?: Layout;
  /** What the user says of its format. */
  readonly given?: GivenFormat;
  /** Of Parquet: only these rows. Default: all. */
  readonly rows?: RowRange;
}

/** Bytes that are no file of their own: an entry of an archive, what is behind a URL. */
export interface StoredObject {
  /** What it is known by from one run to the next: a path or a URL without its query. */
  readonly id: string;
  /** The URL to open it by again, with its query; never shown. Undefined for what no URL names. */
  readonly url?: string;
  /** The archive that it is in. */
  readonly archive?: Input;
  /** Another one means other content. */
  readonly version: string;
  /** All its bytes, in order. */
  read(signal?: AbortSignal): AsyncIterable<Buffer>;
  /** Its bytes at any offset; undefined where only `read` gives them. */
  readonly access?: RandomAccess;
}

/**
 * `plain`: NDJSON as it is, of which any line can be read alone; `text`: compressed, or in another format, and read from its
 * start; `rows`: Parquet, whose lines are rows.
 */
export type Layout = 'plain' | 'text' | 'rows';

/** Whether any line of it can be read alone. */
export function isPlain(input: Input): boolean {
  // An entry of an archive can only be read from its start.
  if (input.object && !input.object.access) return false;
  if (input.layout) return input.layout === 'plain';
  return input.isFile && !input.object && !isCompressed(beginningOf(input.name));
}

/** Whether any line can be read again by its path, in any thread. */
export function isPlainFile(input: Input): boolean {
  return !input.object && isPlain(input);
}

/** What it is known by from one run to the next. */
export function idOf({ name, object }: Input): string {
  return object ? object.id : absolutePath(name);
}

/** The absolute path of a file. If the name is absolute it is returned itself, to save memory for many thousands. */
export function absolutePath(name: string): string {
  const path = resolve(name);
  return path === name ? name : path;
}

/** Undefined for what can only be read from its start. */
export function accessOf({
  name,
  isFile,
  object,
}: Input): (() => Promise<RandomAccess>) | undefined {
  if (!isFile) return undefined;
  if (!object) return async () => (await import('./local-file.js')).openLocalFile(name);
  const { access } = object;
  return access && (() => Promise.resolve(access));
}

function beginningOf(path: string): Buffer {
  const start = Buffer.alloc(magicBytes);
  const file = openSync(path, 'r');
  try {
    return start.subarray(0, readSync(file, start, 0, magicBytes, 0));
  } finally {
    closeSync(file);
  }
}

/** Enough to detect gzip and zstd. */
export const magicBytes = 4;

/** By the first `magicBytes` of a file. */
export function isCompressed(start: Buffer): boolean {
  return isGzip(start) || isZstd(start);
}

/** A sentence for the errors that a path can cause. */
export function reasonOf(error: unknown): string {
  if (error instanceof SourceError) return error.message;
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return 'no such file; check the path';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'EISDIR') return 'is a directory, not a file';
  if (code === 'Z_BUF_ERROR') return 'the gzip data is truncated';
  if (code === 'Z_JUNK_ERROR') return 'other data follows the gzip data';
  if (code?.startsWith('Z_')) return 'the gzip data is damaged';
  return code ? `cannot be read (${code})` : 'cannot be read';
}
