import type { LastLine } from './last-line.js';

/** The last line read of each file, by the file's index in ascending order: a `Map`, or `CompactLastLines`. */
export type LastLines = Pick<ReadonlyMap<number, LastLine>, 'get' | 'size'> &
  Iterable<readonly [file: number, last: LastLine]>;

const hashBytes = 8;

/** Takes about 33 bytes for each file, since there may be hundreds of thousands; an object for each would take 200. */
export class CompactLastLines implements LastLines {
  /** Of each file: number of the line, offset, length. Lines are counted from 1; 0 means that there is none. */
  #positions = new Float64Array(0);
  #hashes = new Uint8Array(0);
  #isHashed = new Uint8Array(0);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  set(file: number, { line, offset, length, hash }: LastLine): void {
    this.#grow(file + 1);
    if (this.#positions[3 * file] === 0) this.#size++;
    this.#positions.set([line, offset, length], 3 * file);
    this.#isHashed[file] = hash === undefined ? 0 : 1;
    if (hash !== undefined) this.#hashes.set(Buffer.from(hash, 'hex'), hashBytes * file);
  }

  get(file: number): LastLine | undefined {
    const [line, offset, length] = this.#positions.subarray(3 * file, 3 * file + 3);
    if (!line) return undefined;
    if (this.#isHashed[file] === 0) return { line, offset: offset!, length: length! };
    const hash = Buffer.from(this.#hashes.buffer, hashBytes * file, hashBytes).toString('hex');
    return { line, offset: offset!, length: length!, hash };
  }

  *[Symbol.iterator](): Generator<readonly [file: number, last: LastLine]> {
    for (let file = 0; file < this.#isHashed.length; file++) {
      const last = this.get(file);
      if (last) yield [file, last];
    }
  }

  #grow(files: number): void {
    const before = this.#isHashed.length;
    if (files <= before) return;
    const after = Math.max(files, 2 * before);
    this.#positions = copied(this.#positions, new Float64Array(3 * after));
    this.#hashes = copied(this.#hashes, new Uint8Array(hashBytes * after));
    this.#isHashed = copied(this.#isHashed, new Uint8Array(after));
  }
}

function copied<T extends Float64Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
