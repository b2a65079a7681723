/** At most this much of a body is kept. */
export const maxExcerptBytes = 4096;

/** The part of a response that is kept for people, as it was received. */
export interface ReceivedExcerpt {
  /** Headers that help to find a cause; lowercase names, Latin-1 values. */
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning of the body in Latin-1, one character per byte, without chunk framing; never inflated. */
  readonly body: string;
  /** Whether that is the whole body. */
  readonly isWhole: boolean;
  /** With `Reading.keepsHeaders`: name, value, name, value, …, as they were received. */
  readonly allHeaders?: readonly string[];
  /** With `Reading.keepsHeaders`: whether the body has no length, so that it ends with the connection. */
  readonly endsAtClose?: boolean;
}

/** Keeps the beginning of a body while it is read. */
export class BodyExcerpt {
  readonly #maxBytes: number;
  #text = '';
  #isCut = false;

  constructor(maxBytes = maxExcerptBytes) {
    this.#maxBytes = maxBytes;
  }

  /** One character per byte; a string, because copying short texts into buffers takes twice as long. */
  get text(): string {
    return this.#text;
  }

  get isFull(): boolean {
    return this.#text.length >= this.#maxBytes;
  }

  /** Whether there was more than is kept. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Copies of `bytes[at, end)` what still fits, since the buffer is overwritten. */
  add(bytes: Buffer, at: number, end: number): void {
    const last = Math.min(end, at + this.#maxBytes - this.#text.length);
    if (last < end) this.#isCut = true;
    if (last > at) this.#text += bytes.toString('latin1', at, last);
  }
}
