import type { HeaderPair } from './headers-for-sender.js';

/** What the sender got. */
export interface SentResponse {
  /** Null when nothing was sent, because the sender had gone. */
  readonly sentStatus: number | null;
  /** In their order, with duplicates; the HTTP server adds Connection, and Date where it is missing. */
  readonly headers: readonly HeaderPair[];
  /** The first 64 KB of the body. */
  readonly bodyExcerpt: Buffer;
  /** Size of the body, as far as it was sent. */
  readonly bodyBytes: number;
}

export const noSent: SentResponse = {
  sentStatus: null,
  headers: [],
  bodyExcerpt: Buffer.alloc(0),
  bodyBytes: 0,
};

/** How much of a body is kept. */
const excerptBytes = 65_536;

/** Keeps the beginning of a body, and counts its bytes. */
export class BodyExcerpt {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  add(chunk: Buffer): void {
    const room = excerptBytes - this.#bytes;
    // A copy: a part of a chunk would keep all of its memory.
    if (room > 0) this.#chunks.push(Buffer.from(chunk.subarray(0, room)));
    this.#bytes += chunk.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  excerpt(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}
