/** At least, in a full filter; then about 2% of the keys that it lacks are not denied. */
const bitsPerKey = 8;
/** Which a key sets. */
const hashes = 4;
const fewestKeys = 1024;
/** 64 KiB a part, 16 MiB in all: for 17 million keys. Of more, fewer are denied. */
const mostBits = 2 ** 19;
/** About 2 ms. */
const keysAtOnce = 10_000;

/**
 * Says of most keys that a table does not have them, so that they need no look-up: Bloom filters, one
 * for the keys with the same first byte. They are in memory alone, and built from the table.
 */
export class SeenFilter {
  readonly #readKeys: (firstByte: number) => readonly string[];
  /** By first byte. A missing one has to be built. */
  readonly #parts: (BloomFilter | undefined)[] = [];
  /** Missing parts that were asked for. */
  readonly #wanted = new Set<number>();

  /** @param readKeys The keys of the table with this first byte, without it; texts may go on after them. */
  constructor(readKeys: (firstByte: number) => readonly string[]) {
    this.#readKeys = readKeys;
  }

  /** False when the table does not have the key. */
  mayHave(key: string): boolean {
    const firstByte = key.charCodeAt(0);
    const part = this.#parts[firstByte];
    if (part) return part.mayHave(key.slice(1));
    this.#wanted.add(firstByte);
    return true;
  }

  /** The table has a new key. */
  add(key: string): void {
    const firstByte = key.charCodeAt(0);
    const part = this.#parts[firstByte];
    part?.add(key.slice(1));
    // Built anew, it is large enough, and without the keys that the table has removed.
    if (part?.isFull) this.#parts[firstByte] = undefined;
  }

  /** Builds parts that were asked for; of a large table one or a few, since each takes milliseconds. */
  build(): void {
    let keys = 0;
    for (const firstByte of this.#wanted) {
      keys += this.#buildPart(firstByte);
      this.#wanted.delete(firstByte);
      if (keys >= keysAtOnce) return;
    }
  }

  /** Returns how many keys it has. */
  #buildPart(firstByte: number): number {
    const keys = this.#readKeys(firstByte);
    const part = new BloomFilter(Math.max(2 * keys.length, fewestKeys));
    for (const key of keys) part.add(key);
    this.#parts[firstByte] = part;
    return keys.length;
  }
}

/** Keys are bits of a hash already, so they are not hashed again. */
class BloomFilter {
  readonly #bits: Uint8Array;
  readonly #lastBit: number;
  #room: number;

  constructor(keys: number) {
    const bits = Math.min(2 ** Math.ceil(Math.log2(keys * bitsPerKey)), mostBits);
    this.#bits = new Uint8Array(bits / 8);
    this.#lastBit = bits - 1;
    this.#room = keys;
  }

  /** Whether it has more keys than it was made for. */
  get isFull(): boolean {
    return this.#room < 0;
  }

  add(key: string): void {
    this.#room--;
    const step = stepOf(key);
    for (let i = 0, bit = firstBitOf(key); i < hashes; i++, bit += step) {
      this.#bits[(bit & this.#lastBit) >> 3]! |= 1 << (bit & 7);
    }
  }

  mayHave(key: string): boolean {
    const step = stepOf(key);
    for (let i = 0, bit = firstBitOf(key); i < hashes; i++, bit += step) {
      if ((this.#bits[(bit & this.#lastBit) >> 3]! & (1 << (bit & 7))) === 0) return false;
    }
    return true;
  }
}

/** The first bytes of a key select its row, so others are used. */
function firstBitOf(key: string): number {
  return wordAt(key, 3);
}

/** Odd, so that all bits are reached. */
function stepOf(key: string): number {
  return wordAt(key, 7) | 1;
}

/** Up to 31 bits, so that sums of some stay exact. */
function wordAt(text: string, at: number): number {
  const code = (i: number): number => text.charCodeAt(at + i);
  return ((code(0) & 0x7f) << 24) | (code(1) << 16) | (code(2) << 8) | code(3);
}
