/** A filter at its capacity has about 2% false positives. */
const bitsPerKey = 8;
/** How many bits a key sets. */
const bitsSetPerKey = 4;
const minCapacity = 1024;
/** 64 KiB for each of 256 filters, 16 MiB in all: 17 million keys. With more, false positives increase. */
const maxBits = 2 ** 19;
/** That takes about 2 ms, which block the event loop. A part of a larger table has more. */
const keysPerBuild = 10_000;
/** A missing part is built at once after this many lookups in it, each of which is a query. */
const lookupsPerBuild = 32;

/**
 * Tells for most new keys that a table lacks them, which saves a query. A Bloom filter for each first
 * byte, so that each can be rebuilt alone. They are only in memory, and built from the table.
 */
export class SeenFilter {
  readonly #readKeys: (firstByte: number) => readonly string[];
  /** By first byte. A missing one has to be built. */
  readonly #parts: (BloomFilter | undefined)[] = [];
  /** How often keys of missing parts were looked up, by first byte. */
  readonly #requested = new Map<number, number>();

  /**
   * @param readKeys All keys of the table with this first byte, without it; only their first 11 characters
   * are read.
   */
  constructor(readKeys: (firstByte: number) => readonly string[]) {
    this.#readKeys = readKeys;
  }

  /** False: the table lacks the key. True: it may have it, or this part of the filter is still to be built. */
  mayHave(key: string): boolean {
    const firstByte = key.charCodeAt(0);
    const part = this.#parts[firstByte];
    if (part) return part.mayHave(key, 1);
    const lookups = (this.#requested.get(firstByte) ?? 0) + 1;
    this.#requested.set(firstByte, lookups);
    if (lookups < lookupsPerBuild) return true;
    this.#requested.delete(firstByte);
    this.#buildPart(firstByte);
    return this.mayHave(key);
  }

  /** The table has a new key. */
  add(key: string): void {
    const firstByte = key.charCodeAt(0);
    const part = this.#parts[firstByte];
    part?.add(key, 1);
    // It is rebuilt when it is next asked for: larger, and without keys that the table has removed.
    if (part?.isOverCapacity) this.#parts[firstByte] = undefined;
  }

  /** Builds requested parts until it has read `keysPerBuild` keys. */
  buildRequested(): void {
    let keys = 0;
    for (const firstByte of this.#requested.keys()) {
      keys += this.#buildPart(firstByte);
      this.#requested.delete(firstByte);
      if (keys >= keysPerBuild) return;
    }
  }

  /** Returns how many keys it has. */
  #buildPart(firstByte: number): number {
    const keys = this.#readKeys(firstByte);
    const part = new BloomFilter(Math.max(2 * keys.length, minCapacity));
    for (const key of keys) part.add(key, 0);
    this.#parts[firstByte] = part;
    return keys.length;
  }
}

/**
 * Keys are parts of a SHA-1 hash, so their own bytes serve as hashes. `from` is the
 * offset of the part of a key after its first byte.
 */
class BloomFilter {
  readonly #bits: Uint8Array;
  readonly #lastBit: number;
  #free: number;

  constructor(capacity: number) {
    const bits = Math.min(2 ** Math.ceil(Math.log2(capacity * bitsPerKey)), maxBits);
    this.#bits = new Uint8Array(bits / 8);
    this.#lastBit = bits - 1;
    this.#free = capacity;
  }

  /** Whether it has more keys than it was made for. */
  get isOverCapacity(): boolean {
    return this.#free < 0;
  }

  add(key: string, from: number): void {
    this.#free--;
    const step = stepOf(key, from);
    for (let i = 0, bit = firstBitOf(key, from); i < bitsSetPerKey; i++, bit += step) {
      this.#bits[(bit & this.#lastBit) >> 3]! |= 1 << (bit & 7);
    }
  }

  mayHave(key: string, from: number): boolean {
    const step = stepOf(key, from);
    for (let i = 0, bit = firstBitOf(key, from); i < bitsSetPerKey; i++, bit += step) {
      if ((this.#bits[(bit & this.#lastBit) >> 3]! & (1 << (bit & 7))) === 0) return false;
    }
    return true;
  }
}

/** From other bytes than the step, so that both are independent. */
function firstBitOf(key: string, from: number): number {
  return wordAt(key, from + 3);
}

/** Odd, so that the steps reach all bits: their number is a power of two. */
function stepOf(key: string, from: number): number {
  return wordAt(key, from + 7) | 1;
}

/** Four bytes as a number of 31 bits, which is never negative. */
function wordAt(text: string, at: number): number {
  const code = (i: number): number => text.charCodeAt(at + i);
  return ((code(0) & 0x7f) << 24) | (code(1) << 16) | (code(2) << 8) | code(3);
}
