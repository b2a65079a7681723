/**
 * XXH64 with the seed 0, which zstd uses as its checksum. Numbers of 64 bits are pairs of 32 bits: with
 * BigInt, the checksum would take several times as long as decompressing.
 */
export class Xxh64 {
  /** The four accumulators: high half, low half, and so on. */
  readonly #lanes = new Int32Array(8);
  /** Bytes that do not fill a stripe yet. */
  readonly #rest = Buffer.alloc(stripeBytes);
  #restBytes = 0;
  #length = 0;

  constructor() {
    const seeds = [prime1 + prime2, prime2, 0n, -prime1];
    for (const [i, seed] of seeds.entries()) {
      this.#lanes[2 * i] = Number(BigInt.asIntN(32, seed >> 32n));
      this.#lanes[2 * i + 1] = Number(BigInt.asIntN(32, seed));
    }
  }

  update(bytes: Buffer): void {
    this.#length += bytes.length;
    let at = 0;
    if (this.#restBytes > 0) {
      at = bytes.copy(this.#rest, this.#restBytes);
      this.#restBytes += at;
      if (this.#restBytes < stripeBytes) return;
      this.#restBytes = 0;
      addStripes(this.#lanes, this.#rest, 0, stripeBytes);
    }
    const whole = bytes.length - ((bytes.length - at) % stripeBytes);
    addStripes(this.#lanes, bytes, at, whole);
    this.#restBytes = bytes.copy(this.#rest, 0, whole);
  }

  digest(): bigint {
    const lanes = [0, 1, 2, 3].map((i) => {
      return (BigInt(this.#lanes[2 * i]!) << 32n) | BigInt(this.#lanes[2 * i + 1]! >>> 0);
    });
    let hash = prime5;
    if (this.#length >= stripeBytes) {
      hash = lanes.reduce((sum, lane, i) => sum + rotate(lane, [1n, 7n, 12n, 18n][i]!), 0n);
      for (const lane of lanes) hash = (hash ^ round(0n, lane)) * prime1 + prime4;
    }
    return avalanche(this.#withRest(u64(hash + BigInt(this.#length))));
  }

  #withRest(hash: bigint): bigint {
    const rest = this.#rest.subarray(0, this.#restBytes);
    let at = 0;
    for (; at + 8 <= rest.length; at += 8)
      hash = u64(rotate(hash ^ round(0n, rest.readBigUInt64LE(at)), 27n) * prime1 + prime4);
    if (at + 4 <= rest.length) {
      hash ^= u64(BigInt(rest.readUInt32LE(at)) * prime1);
      hash = u64(rotate(hash, 23n) * prime2 + prime3);
      at += 4;
    }
    for (; at < rest.length; at++)
      hash = u64(rotate(hash ^ u64(BigInt(rest[at]!) * prime5), 11n) * prime1);
    return hash;
  }
}

const stripeBytes = 32;

const prime1 = 0x9e3779b185ebca87n;
const prime2 = 0xc2b2ae3d27d4eb4fn;
const prime3 = 0x165667b19e3779f9n;
const prime4 = 0x85ebca77c2b2ae63n;
const prime5 = 0x27d4eb2f165667c5n;

function u64(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

function rotate(value: bigint, bits: bigint): bigint {
  const word = u64(value);
  return u64((word << bits) | (word >> (64n - bits)));
}

function round(lane: bigint, input: bigint): bigint {
  return u64(rotate(lane + input * prime2, 31n) * prime1);
}

function avalanche(hash: bigint): bigint {
  hash = u64((hash ^ (hash >> 33n)) * prime2);
  hash = u64((hash ^ (hash >> 29n)) * prime3);
  return hash ^ (hash >> 32n);
}

const prime1High = 0x9e3779b1 | 0;
const prime1Low = 0x85ebca87 | 0;
const prime2High = 0xc2b2ae3d | 0;
const prime2Low = 0x27d4eb4f | 0;

/** `bytes[start, end)` are whole stripes: 8 bytes for each lane. */
function addStripes(lanes: Int32Array, bytes: Buffer, start: number, end: number): void {
  for (let at = start; at < end; at += 8) {
    const lane = ((at - start) >> 2) & 6;
    const low = word(bytes, at);
    const high = word(bytes, at + 4);
    // lane + input * prime2
    const productLow = Math.imul(low, prime2Low);
    const productHigh =
      (highOfProduct(low, prime2Low) + Math.imul(high, prime2Low) + Math.imul(low, prime2High)) | 0;
    const sumLow = (lanes[lane + 1]! + productLow) | 0;
    const carry = sumLow >>> 0 < productLow >>> 0 ? 1 : 0;
    const sumHigh = (lanes[lane]! + productHigh + carry) | 0;
    // rotated by 31 bits
    const turnedHigh = (sumHigh << 31) | (sumLow >>> 1);
    const turnedLow = (sumLow << 31) | (sumHigh >>> 1);
    lanes[lane + 1] = Math.imul(turnedLow, prime1Low);
    lanes[lane] =
      (highOfProduct(turnedLow, prime1Low) +
        Math.imul(turnedHigh, prime1Low) +
        Math.imul(turnedLow, prime1High)) |
      0;
  }
}

function word(bytes: Buffer, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}

/** The high 32 bits of the product of two numbers of 32 bits without sign. */
function highOfProduct(a: number, b: number): number {
  const [a0, a1, b0, b1] = [a & 0xffff, a >>> 16, b & 0xffff, b >>> 16];
  const middle = a1 * b0 + ((a0 * b0) >>> 16);
  const low = a0 * b1 + (middle % 0x10000);
  return (a1 * b1 + Math.floor(middle / 0x10000) + Math.floor(low / 0x10000)) | 0;
}
