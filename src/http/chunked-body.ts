import type { BodyExcerpt } from './body-excerpt.js';

const carriageReturn = 0x0d;
const lineFeed = 0x0a;

/** Largest chunk size accepted; more digits could only overflow a number. */
const maxSize = 0xffff_ffff;

/** What the next byte belongs to. */
const enum Part {
  FirstDigit,
  Size,
  SizeEnd,
  Data,
  DataReturn,
  DataEnd,
  LastReturn,
  LastEnd,
  Whole,
  Broken,
}

/**
 * Finds the end of a body in `transfer-encoding: chunked`, RFC 9112 section 7.1. Chunk extensions
 * and trailers are rare and not parsed: such a body counts as broken, and its connection is closed.
 */
export class ChunkedBody {
  #part: Part = Part.FirstDigit;
  /** Bytes of the chunk's data that have not arrived yet. */
  #left = 0;
  readonly #excerpt: BodyExcerpt | undefined;

  /** `excerpt` gets the data, without the framing. */
  constructor(excerpt?: BodyExcerpt) {
    this.#excerpt = excerpt;
  }

  get isWhole(): boolean {
    return this.#part === Part.Whole;
  }

  /** Whether the body cannot be parsed, so that its end is unknown. */
  get isBroken(): boolean {
    return this.#part === Part.Broken;
  }

  /** Reads `bytes[at, end)` and returns where it stopped: after the end of the body. */
  read(bytes: Buffer, at: number, end: number): number {
    while (at < end && this.#part < Part.Whole) {
      if (this.#part === Part.Data) at = this.#skipData(bytes, at, end);
      else this.#part = this.#after(bytes[at++]!);
    }
    return at;
  }

  #skipData(bytes: Buffer, at: number, end: number): number {
    const skipped = Math.min(this.#left, end - at);
    this.#excerpt?.add(bytes, at, at + skipped);
    this.#left -= skipped;
    if (this.#left === 0) this.#part = Part.DataReturn;
    return at + skipped;
  }

  #after(byte: number): Part {
    switch (this.#part) {
      case Part.FirstDigit:
        this.#left = 0;
        return this.#afterDigit(byte);
      case Part.Size:
        return byte === carriageReturn ? Part.SizeEnd : this.#afterDigit(byte);
      case Part.SizeEnd:
        return only(lineFeed, byte, this.#left > 0 ? Part.Data : Part.LastReturn);
      case Part.DataReturn:
        return only(carriageReturn, byte, Part.DataEnd);
      case Part.DataEnd:
        return only(lineFeed, byte, Part.FirstDigit);
      case Part.LastReturn:
        return only(carriageReturn, byte, Part.LastEnd);
      default:
        return only(lineFeed, byte, Part.Whole);
    }
  }

  #afterDigit(byte: number): Part {
    const digit = hexDigit(byte);
    this.#left = this.#left * 16 + digit;
    return digit >= 0 && this.#left <= maxSize ? Part.Size : Part.Broken;
  }
}

function only(wanted: number, byte: number, next: Part): Part {
  return byte === wanted ? next : Part.Broken;
}

/** -1 for a byte that is not a hex digit. */
function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
