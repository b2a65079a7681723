import { hash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { UsageError } from '../errors.js';

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

export function fingerprintOf(path: string): Fingerprint {
  const found = lookAt(path);
  const headBytes = Math.min(found.size, maxHeadBytes);
  return { ...found, headBytes, headHash: hashOfHead(path, headBytes) };
}

/** The same without the hash, for which the file must be read. */
export function lookAt(path: string): Pick<Fingerprint, 'path' | 'size' | 'modified'> {
  const { size, mtimeMs } = statSync(path);
  return { path, size, modified: mtimeMs };
}

/**
 * Compares a file with its fingerprint from an earlier run. A file may have grown at its end.
 * @throws UsageError when it has shrunk or its beginning has changed.
 */
export function checkSame(before: Fingerprint, now: Pick<Fingerprint, 'path' | 'size'>): void {
  const { path } = now;
  if (now.size < before.size) {
    throw new UsageError(
      `${path}: has shrunk from ${before.size} to ${now.size} bytes since this import began; restore it, or start over with --fresh`,
      'file_changed',
    );
  }
  if (hashOfHead(path, before.headBytes) !== before.headHash) {
    throw new UsageError(
      `${path}: its beginning has changed since this import began; restore it, or start over with --fresh`,
      'file_changed',
    );
  }
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
