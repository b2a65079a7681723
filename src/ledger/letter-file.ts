import { closeSync, fstatSync, openSync, readSync, statSync, truncateSync } from 'node:fs';
import { FileWriter } from './file-writer.js';
import type { StoredLetter } from './store.js';

/**
 * The dead-letter file, fed from the store: a letter is first committed there with the progress that
 * it belongs to, then written here, then struck off there. So a crash in between neither loses nor
 * doubles one.
 */
export class LetterFile {
  readonly #writer: FileWriter;
  #written = 0;

  constructor(path: string) {
    this.#writer = new FileWriter(path, 'the dead-letter file');
  }

  get path(): string {
    return this.#writer.path;
  }

  /** The id of the last letter that has reached the file. */
  get written(): number {
    return this.#written;
  }

  /** @throws StateError when the file cannot be written; then nothing counts as written. */
  write(letters: readonly StoredLetter[]): void {
    if (letters.length === 0) return;
    for (const { line } of letters) this.#writer.append(line);
    this.#writer.sync();
    this.#written = letters.at(-1)!.id;
  }

  /** Writes what a run that died has committed but maybe not written. */
  recover(letters: readonly StoredLetter[]): void {
    if (letters.length === 0) return;
    this.write(missingLetters(this.path, letters));
    this.#written = letters.at(-1)!.id;
  }

  close(): void {
    this.#writer.close();
  }
}

/** Letters are written in order, so the ones that are there stand at the end of the file. */
function missingLetters(path: string, letters: readonly StoredLetter[]): readonly StoredLetter[] {
  const tail = readTail(
    path,
    letters.reduce((sum, { line }) => sum + line.length, 0),
  );
  let there = 0;
  let end = 0;
  // Each behind the one before it: two letters may be the same to the byte.
  for (; there < letters.length; there++) {
    const { line } = letters[there]!;
    const at = tail.indexOf(line, end);
    if (at === -1) break;
    end = at + line.length;
  }
  const next = letters[there];
  if (next) dropTornStart(path, tail, next.line);
  return letters.slice(there);
}

/** A crash may have cut the next letter short: its start is taken away before it is written whole. */
function dropTornStart(path: string, tail: Buffer, line: Buffer): void {
  const lastLine = tail.subarray(tail.lastIndexOf(0x0a) + 1);
  const isStart = lastLine.length > 0 && line.subarray(0, lastLine.length).equals(lastLine);
  if (isStart) truncateSync(path, statSync(path).size - lastLine.length);
}

function readTail(path: string, bytes: number): Buffer {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return Buffer.alloc(0);
  }
  try {
    const { size } = fstatSync(file);
    const tail = Buffer.alloc(Math.min(size, bytes));
    const read = readSync(file, tail, 0, tail.length, size - tail.length);
    return tail.subarray(0, read);
  } finally {
    closeSync(file);
  }
}
