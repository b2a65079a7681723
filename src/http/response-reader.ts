import { BodyExcerpt, type ReceivedExcerpt } from './body-excerpt.js';
import { ChunkedBody } from './chunked-body.js';
import { ResponseHeaders } from './response-headers.js';

/**
 * No verdict depends on a body; at most this much is read to be able to reuse the connection, and for the
 * excerpt of a response that is no 2xx.
 */
const maxBodyBytes = 16 * 1024;

/**
 * How far a response was read. `headers`: they are incomplete. `excerpt`: status and headers are known, and
 * the beginning of the body is to be shown, but incomplete. `body`: all that is needed is known. `whole`: the end was read, and the connection can be reused. `over`: nothing more can be read on this
 * connection, which must be closed; the status, if there is one, still counts.
 */
export type ReadState = 'headers' | 'excerpt' | 'body' | 'whole' | 'over';

/** What is to be read of a response, where that is not the usual. */
export interface Reading {
  /** The response to a HEAD has no body, whatever its headers say. */
  readonly isHead?: boolean | undefined;
  /** How many bytes of the body to keep, of a 2xx, too. Default: 4,096 of a response that is no 2xx. */
  readonly keptBytes?: number | undefined;
  /** Whether to keep all headers, together with `keptBytes`. Default: some, of a response that is no 2xx. */
  readonly keepsHeaders?: boolean | undefined;
}

const usual: Reading = {};

/** Reads the response to one request, however it is split into pieces. */
export class ResponseReader {
  readonly #reading: Reading;
  readonly #headers: ResponseHeaders;
  #bodyBytes = 0;
  /** Bytes of a body of known length that have not arrived yet. */
  #left = 0;
  #chunks: ChunkedBody | undefined;
  /** Of a response that is no 2xx, from its headers on. */
  #excerpt: BodyExcerpt | undefined;
  /** Whether the end of the body is unknown, or too far away to wait for it. */
  #isLong = false;
  #hasEnded = false;

  constructor(reading: Reading = usual) {
    this.#reading = reading;
    this.#headers = new ResponseHeaders(reading.keepsHeaders);
  }

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

  /**
   * What a response that is no 2xx has said so far; undefined without a status, and for others unless
   * their body is kept.
   */
  get excerpt(): ReceivedExcerpt | undefined {
    const { shown, status } = this.#headers;
    const isKept = this.#reading.keptBytes !== undefined && status !== undefined;
    if (!shown && !isKept) return undefined;
    const excerpt = this.#excerpt;
    const isWhole = this.#hasEnded && excerpt?.isCut !== true;
    const received = { headers: shown ?? {}, body: excerpt?.text ?? '', isWhole };
    const { all } = this.#headers;
    return all ? { ...received, allHeaders: all, endsAtClose: this.#endsAtClose } : received;
  }

  get #endsAtClose(): boolean {
    const { isWhole, contentLength } = this.#headers;
    return isWhole && !this.#hasEnded && !this.#chunks && contentLength === undefined;
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

  /** Returns whether to read the body: its end is near, or its beginning is to be shown. */
  #beginBody(): boolean {
    const { contentLength, isChunked, hasNoBody, shown } = this.#headers;
    const { isHead, keptBytes } = this.#reading;
    if (hasNoBody || isHead) return true;
    if (shown || keptBytes !== undefined) this.#excerpt = new BodyExcerpt(keptBytes);
    if (isChunked) {
      this.#chunks = new ChunkedBody(this.#excerpt);
      return true;
    }
    this.#left = contentLength ?? Infinity;
    this.#isLong = this.#left > this.#maxBodyBytes;
    return !this.#isLong || this.#excerpt !== undefined;
  }

  #readBody(bytes: Buffer, at: number, length: number): ReadState {
    const end = this.#skipBody(bytes, at, length);
    this.#bodyBytes += end - at;
    if (this.#bodyBytes > this.#maxBodyBytes || this.#chunks?.isBroken) return 'over';
    if (!(this.#chunks?.isWhole ?? this.#left === 0)) return this.#openState();
    this.#hasEnded = true;
    // Bytes after the end belong to no request.
    return end === length && this.#headers.isReusable ? 'whole' : 'over';
  }

  get #maxBodyBytes(): number {
    // The lines around chunks count, too.
    return Math.max(maxBodyBytes, 8 * (this.#reading.keptBytes ?? 0));
  }

  /** Of a body whose end has not arrived. */
  #openState(): ReadState {
    if (this.#excerpt?.isFull === false) return 'excerpt';
    return this.#isLong ? 'over' : 'body';
  }

  #skipBody(bytes: Buffer, at: number, length: number): number {
    if (this.#chunks) return this.#chunks.read(bytes, at, length);
    const end = Math.min(length, at + this.#left);
    this.#excerpt?.add(bytes, at, end);
    this.#left -= end - at;
    return end;
  }
}
