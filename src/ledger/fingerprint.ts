import { hash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { UsageError } from '../errors.js';
import type { Input } from '../sources/input.js';

/** Identifies the content of a file, to detect changes between runs. */
export interface Fingerprint {
  readonly path: string;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
  /** How many bytes at its start are hashed. */
  readonly headBytes: number;
  /** SHA-256, hex. */
  readonly headHash: string;
}

const maxHeadBytes = 64 * 1024;

export function fingerprintOf(input: Input): Fingerprint {
  const found = lookAt(input);
  const { object } = input;
  if (object) return { ...found, headBytes: 0, headHash: object.version };
  const headBytes = Math.min(found.size, maxHeadBytes);
  return { ...found, headBytes, headHash: hashOfHead(input.name, headBytes) };
}

/** The same without the hash, for which a file must be read. */
export function lookAt({
  name,
  object,
  size = 0,
}: Input): Pick<Fingerprint, 'path' | 'size' | 'modified'> {
  if (object) return { path: object.id, size, modified: 0 };
  const found = statSync(name);
  return { path: name, size: found.size, modified: found.mtimeMs };
}

/**
 * Compares an input with its fingerprint from an earlier run. A file may have grown at its end.
 * @throws UsageError when it has shrunk or its beginning has changed, or is another version.
 */
export function checkSame(
  before: Fingerprint,
  now: Pick<Fingerprint, 'path' | 'size'>,
  { name, object }: Input,
): void {
  if (object) {
    if (object.version !== before.headHash) throw changed(name, 'has changed');
    return;
  }
  if (now.size < before.size)
    throw changed(name, `has shrunk from ${before.size} to ${now.size} bytes`);
  if (hashOfHead(name, before.headBytes) !== before.headHash)
    throw changed(name, 'its beginning has changed');
}

function changed(name: string, what: string): UsageError {
  return new UsageError(
    `${name}: ${what} since this import began; restore it, or start over with --fresh`,
    'file_changed',
  );
}

function hashOfHead(path: string, bytes: number): string {
  const head = Buffer.alloc(bytes);
  const file = openSync(path, 'r');
  try {
    const read = readSync(file, head, 0, bytes, 0);
    // In one call: an object for each of very many files would stay in memory until the event loop turns.
    return hash('sha256', head.subarray(0, read));
  } finally {
    closeSync(file);
  }
}
