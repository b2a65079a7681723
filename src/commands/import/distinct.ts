import { createHash } from 'node:crypto';

/** As many are counted exactly; a hash takes some 50 bytes. */
const maxExact = 200_000;
/** 4 MB, for an error of 0.1 % at twenty million. */
const bitmapBits = 2 ** 25;

/** The first 48 bits of a hash. */
function hashOf(text: string): number {
  return createHash('sha1').update(text).digest().readUIntBE(0, 6);
}

/** Counts different texts: exactly at first, then by linear counting in a bitmap. */
export class DistinctCounter {
  #exact: Set<number> | undefined = new Set();
  #bitmap: Uint8Array | undefined;
  #bitsSet = 0;

  get count(): number {
    if (this.#exact) return this.#exact.size;
    return Math.round(-bitmapBits * Math.log(1 - this.#bitsSet / bitmapBits));
  }

  /** An empty text is none. */
  add(text: string): void {
    if (text === '') return;
    const hash = hashOf(text);
    if (!this.#exact) {
      this.#mark(hash);
      return;
    }
    this.#exact.add(hash);
    if (this.#exact.size <= maxExact) return;
    this.#bitmap = new Uint8Array(bitmapBits / 8);
    for (const each of this.#exact) this.#mark(each);
    this.#exact = undefined;
  }

  #mark(hash: number): void {
    const bit = hash % bitmapBits;
    const byte = Math.floor(bit / 8);
    const mask = 1 << (bit % 8);
    const before = this.#bitmap![byte]!;
    if ((before & mask) !== 0) return;
    this.#bitmap![byte] = before | mask;
    this.#bitsSet++;
  }
}

/** Counts texts that were added before, among the first two hundred thousand different ones. */
export class RepeatCounter {
  readonly #seen = new Set<number>();
  #repeats = 0;

  get repeats(): number {
    return this.#repeats;
  }

  add(text: string): void {
    const hash = hashOf(text);
    if (this.#seen.has(hash)) this.#repeats++;
    else if (this.#seen.size < maxExact) this.#seen.add(hash);
  }
}
