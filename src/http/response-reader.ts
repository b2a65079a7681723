import { ResponseHeaders } from './response-headers.js';
import { ChunkedBody } from './chunked-body.js';

/** No verdict depends on a body; at most this much is read to be able to reuse the connection. */
const maxBodyBytes = 16 * 1024;

/**
 * How far a response was read. `headers`: they are incomplete. `body`: status and headers are known.
 * `whole`: the end was read, and the connection can be reused. `over`: nothing more can be read on this
 * connection, which must be closed; the status, if there is one, still counts.
 */
export type ReadState = 'headers' | 'body' | 'whole' | 'over';

/** Reads the response to one request, however it is split into pieces. */
export class ResponseReader {
  readonly #headers = new ResponseHeaders();
  #bodyBytes = 0;
  /** Bytes of a body of known length that have not arrived yet. */
  #left = 0;
  #chunks: ChunkedBody | undefined;

  /** The final status, once its line is complete; interim responses do not set it. */
  get status(): number | undefined {
    return this.#headers.status;
  }

  /** The text of `Retry-After`. */
  get retryAfter(): string | undefined {
    return this.#headers.retryAfter;
  }

  /** Whether not one byte has arrived. */
  get isEmpty(): boolean {
    return this.#headers.isEmpty;
  }

  /** Reads the next piece, `bytes[0, length)`, and keeps nothing of it. */
  read(bytes: Buffer, length: number): ReadState {
    return this.#headers.isWhole
      ? this.#readBody(bytes, 0, length)
      : this.#readHeaders(bytes, length);
  }

  #readHeaders(bytes: Buffer, length: number): ReadState {
    const bodyAt = this.#headers.read(bytes, 0, length);
    if (!this.#headers.isWhole) return this.#headers.isBroken ? 'over' : 'headers';
    if (!this.#beginBody()) return 'over';
    return this.#readBody(bytes, bodyAt, length);
  }

  /** Returns whether to wait for the end of the body: its length is known and small. */
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

  #readBody(bytes: Buffer, at: number, length: number): ReadState {
    const end = this.#skipBody(bytes, at, length);
    this.#bodyBytes += end - at;
    if (this.#bodyBytes > maxBodyBytes || this.#chunks?.isBroken) return 'over';
    if (!(this.#chunks?.isWhole ?? this.#left === 0)) return 'body';
    // Bytes after the end belong to no request.
    return end === length && this.#headers.isReusable ? 'whole' : 'over';
  }

  #skipBody(bytes: Buffer, at: number, length: number): number {
    if (this.#chunks) return this.#chunks.read(bytes, at, length);
    const end = Math.min(length, at + this.#left);
    this.#left -= end - at;
    return end;
  }
}
