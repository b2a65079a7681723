import { damagedParquet } from './parquet-errors.js';

/** Bytes that are read from the front. To read past their end is a RangeError. */
export class PageBytes {
  at = 0;
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get rest(): number {
    return this.bytes.length - this.at;
  }

  byte(): number {
    return this.bytes.readUInt8(this.at++);
  }

  move(count: number): void {
    if (!(count >= 0 && count <= this.rest)) throw new RangeError('past the end');
    this.at += count;
  }

  /** An unsigned LEB128. Exact up to 2^53, which is enough where the value matters. */
  varInt(maxBytes = 10): number {
    let value = 0;
    for (let i = 0; i < maxBytes; i++) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) return value;
    }
    throw damagedParquet();
  }

  /** One that hyparquet does not cut off. */
  varInt32(): number {
    const value = this.varInt(5);
    if (value >= 2 ** 32) throw damagedParquet();
    return value;
  }

  zigZag(maxBytes?: number): number {
    const value = this.varInt(maxBytes);
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** At most 32 bits, which begin at a bit, the lowest first. */
  bits(start: number, width: number): number {
    let value = 0;
    for (let done = 0; done < width;) {
      const at = start + done;
      const count = Math.min(8 - (at % 8), width - done);
      const byte = this.bytes.readUInt8(Math.floor(at / 8));
      value += ((byte >> (at % 8)) & ((1 << count) - 1)) * 2 ** done;
      done += count;
    }
    return value;
  }
}
