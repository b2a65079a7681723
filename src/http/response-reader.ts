import { ResponseHeaders } from './response-headers.js';
import { ChunkedBody } from './chunked-body.js';

/** No verdict depends on a body; so much is read to keep the connection, at most. */
const maxBodyBytes = 16 * 1024;

/**
 * How far an answer was read. `head`: nothing can be said yet. `body`: its status and headers are
 * known. `whole`: so is its end, and the connection can be used again. `over`: nothing more can be
 * read on this connection, which is to be closed; a status, if there is one, counts nevertheless.
 */
export type ReadState = 'head' | 'body' | 'whole' | 'over';

/** Reads the answer to one request, however it is cut. */
export class ResponseReader {
  readonly #headers = new ResponseHeaders();
  #bodyBytes = 0;
  /** Of a body of known length, what has not come yet. */
  #left = 0;
  #chunks: ChunkedBody | undefined;

  /** The final status, once a whole first line has told it; interim answers have none. */
  get status(): number | undefined {
    return this.#headers.status;
  }

  /** The text of `Retry-After`. */
  get retryAfter(): string | undefined {
    return this.#headers.retryAfter;
  }

  /** Whether not a byte has come. */
  get isEmpty(): boolean {
    return this.#headers.isEmpty;
  }

  /** Takes what came next, `bytes[0, length)`, of which nothing is kept. */
  take(bytes: Buffer, length: number): ReadState {
    return this.#headers.isWhole
      ? this.#takeBody(bytes, 0, length)
      : this.#takeHeaders(bytes, length);
  }

  #takeHeaders(bytes: Buffer, length: number): ReadState {
    const bodyAt = this.#headers.take(bytes, 0, length);
    if (!this.#headers.isWhole) return this.#headers.isBroken ? 'over' : 'head';
    if (!this.#beginBody()) return 'over';
    return this.#takeBody(bytes, bodyAt, length);
  }

  /** Returns whether its end is worth waiting for: known, and near. */
  #beginBody(): boolean {
    const { contentLength, isChunked, hasNoBody } = this.#headers;
    if (hasNoBody) return true;
    if (isChunked) {
      this.#chunks = new ChunkedBody();
      return true;
    }
    this.#left = contentLength ?? Infinity;
    return this.#left <= maxBodyBytes;
  }

  #takeBody(bytes: Buffer, at: number, length: number): ReadState {
    const end = this.#skipBody(bytes, at, length);
    this.#bodyBytes += end - at;
    if (this.#bodyBytes > maxBodyBytes || this.#chunks?.isBroken) return 'over';
    if (!(this.#chunks?.isWhole ?? this.#left === 0)) return 'body';
    // What stands behind the end belongs to no request.
    return end === length && this.#headers.isReusable ? 'whole' : 'over';
  }

  #skipBody(bytes: Buffer, at: number, length: number): number {
    if (this.#chunks) return this.#chunks.take(bytes, at, length);
    const end = Math.min(length, at + this.#left);
    this.#left -= end - at;
    return end;
  }
}
