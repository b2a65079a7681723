import { closeSync, fstatSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { FileWriter } from '../storage/file-writer.js';
import { readAt } from '../storage/read-at.js';
import type { StoredDeadLetter } from './store.js';

/**
 * The dead-letter file, fed from the store: a dead letter is first committed there, with the progress
 * that it belongs to and its offset in the file, then written here, then deleted there. So a crash in
 * between neither loses nor duplicates one. Only holes left by a power cut are overwritten, since
 * another import may have appended to the file after the crash.
 */
export class DeadLetterFile {
  readonly #writer: FileWriter;
  #written = 0;

  constructor(path: string) {
    this.#writer = new FileWriter(path, 'the dead-letter file');
  }

  get path(): string {
    return this.#writer.path;
  }

  /** The id of the last dead letter in the file. */
  get written(): number {
    return this.#written;
  }

  /** The offset of the next dead letter; undefined if unknown, as in a pipe. */
  end(): number | undefined {
    return this.#writer.nextOffset();
  }

  /** @throws StateError when the file cannot be written; then none of them counts as written. */
  write(deadLetters: readonly StoredDeadLetter[]): void {
    if (deadLetters.length === 0) return;
    for (const { line } of deadLetters) this.#writer.append(line);
    this.#sync(deadLetters);
  }

  /** Completes what a killed run has committed but may not have written. */
  recover(deadLetters: readonly StoredDeadLetter[]): void {
    if (deadLetters.length === 0) return;
    for (const { bytes, isRest } of this.#repair(deadLetters)) {
      if (isRest) this.#writer.appendRest(bytes);
      else this.#writer.append(bytes);
    }
    this.#sync(deadLetters);
  }

  close(): void {
    this.#writer.close();
  }

  /** Fills holes in the file, and returns what to append. */
  #repair(deadLetters: readonly StoredDeadLetter[]): MissingPart[] {
    const file = openToRepair(this.path);
    if (file === undefined) return deadLetters.map(({ line }) => ({ bytes: line, isRest: false }));
    try {
      const offset =
        deadLetters[0]?.offset ?? findFirstOffset(file, fstatSync(file).size, deadLetters);
      fillHoles(file, offset, deadLetters);
      return missingParts(file, offset, deadLetters);
    } finally {
      closeSync(file);
    }
  }

  #sync(deadLetters: readonly StoredDeadLetter[]): void {
    this.#writer.sync();
    this.#written = deadLetters.at(-1)!.id;
  }
}

interface MissingPart {
  readonly bytes: Buffer;
  /** Whether the file ends with the beginning of this dead letter. */
  readonly isRest: boolean;
}

/** Undefined where reading and writing at an offset is not possible, as in a pipe. */
function openToRepair(path: string): number | undefined {
  try {
    return openSync(path, 'r+');
  } catch {
    return undefined;
  }
}

/** What the file lacks of the dead letters, the first of which begins at `offset`. */
function missingParts(
  file: number,
  offset: number,
  deadLetters: readonly StoredDeadLetter[],
): MissingPart[] {
  const { size } = fstatSync(file);
  let next = offset;
  return deadLetters.flatMap(({ line }) => {
    const there = bytesThere(file, size, next, line);
    next += line.length;
    return there < line.length ? [{ bytes: line.subarray(there), isRest: there > 0 }] : [];
  });
}

/**
 * After a power cut during a write, a later part may be on the disk without an earlier one, which then
 * reads as zeros; no dead letter contains any. If the range of a dead letter has only zeros and bytes of
 * its own, it is written there again.
 */
function fillHoles(file: number, offset: number, deadLetters: readonly StoredDeadLetter[]): void {
  let isFilled = false;
  for (const { line } of deadLetters) {
    const found = readAt(file, offset, line.length);
    if (found.includes(0) && found.every((byte, i) => byte === 0 || byte === line[i])) {
      writeSync(file, line, 0, line.length, offset);
      isFilled = true;
    }
    offset += line.length;
  }
  if (isFilled) fsyncSync(file);
}

/** How many bytes of a line are at its offset: all of them, those before the end of the file, or 0. */
function bytesThere(file: number, size: number, offset: number, line: Buffer): number {
  const found = readAt(file, offset, line.length);
  const isWhole = found.length === line.length || offset + found.length === size;
  return isWhole && found.equals(line.subarray(0, found.length)) ? found.length : 0;
}

/**
 * The offset of the first dead letter, if it was not known when that was committed, since the file could not be looked
 * at: the file ends with these dead letters, the last of which may be truncated.
 */
function findFirstOffset(
  file: number,
  size: number,
  deadLetters: readonly StoredDeadLetter[],
): number {
  const text = Buffer.concat(deadLetters.map(({ line }) => line));
  const tail = readAt(file, Math.max(0, size - text.length), text.length);
  for (let start = 0; start < tail.length; start++) {
    const found = tail.subarray(start);
    if (found.equals(text.subarray(0, found.length))) return size - found.length;
  }
  return size;
}
