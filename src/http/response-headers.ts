import { keepHeader } from './excerpt-headers.js';
import { endOfName, isNamed, isValue, valueOf } from './header-line.js';
import { mayBeStatusLine, readStatusLine, type StatusLine } from './status-line.js';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
/** The same limit as in Node and undici. */
const maxHeaderBytes = 16 * 1024;
/** Limit for interim (1xx) responses before the final one. */
const maxInterims = 1_000;
const nothing = Buffer.alloc(0);

/**
 * Idle connections are closed after 2 s here. If the server closes them after less than this, the close
 * would often cross the next request on the wire.
 */
const minKeepAliveSeconds = 3;

const noContent = 204;
const notModified = 304;

const connection = 'connection';
/** Old proxies sent it in place of Connection; Node treats it the same. */
const proxyConnection = 'proxy-connection';
const keepAlive = 'keep-alive';
const retryAfter = 'retry-after';
const contentLength = 'content-length';
const transferEncoding = 'transfer-encoding';

/** Headers that decide where a body ends and whether the connection stays open. */
const framing = new Set([connection, proxyConnection, keepAlive, contentLength, transferEncoding]);

/**
 * Reads the status line and headers of a response, however it is split into pieces. Interim responses
 * (`100 Continue`, RFC 9110 section 15.2) are skipped; 101 is not one of them, since it ends HTTP on
 * the connection.
 *
 * Anything unusual ends the connection (`isReusable` is false), but the verdict depends on the status
 * alone.
 */
export class ResponseHeaders {
  /** The final status, once its line is complete. */
  status: number | undefined;
  /** The text of the first `Retry-After`. */
  retryAfter: string | undefined;
  /** Length of the body in bytes, if the headers contain it. */
  contentLength: number | undefined;
  isChunked = false;
  /** Whether the status excludes a body, whatever the headers say. */
  hasNoBody = false;
  isReusable = true;
  /** Whether not one byte has arrived. */
  isEmpty = true;
  /** Whether the last header was read. */
  isWhole = false;
  /** Whether nothing more can be read: it is not HTTP, or its status ends the connection. */
  isBroken = false;
  /** Headers to show to people; undefined for a 2xx. */
  shown: Record<string, string> | undefined;
  /** All of the final response: name, value, name, value, …; undefined unless they are kept. */
  readonly all: string[] | undefined;
  #hasStatusLine = false;
  #isInterim = false;
  #interims = 0;
  #minor: number | undefined = 1;
  #wantsKeepAlive = false;
  #size = 0;
  /** The beginning of a line whose end has not arrived. */
  #held: Buffer = nothing;

  constructor(keepsAll = false) {
    this.all = keepsAll ? [] : undefined;
  }

  /** Reads `bytes[at, end)` and returns where it stopped: after the headers. */
  read(bytes: Buffer, at: number, end: number): number {
    this.isEmpty = false;
    while (at < end && !this.isWhole && !this.isBroken) {
      const next = endOfLine(bytes, at, end);
      this.#size += next - at;
      if (this.#size > maxHeaderBytes) this.isBroken = true;
      else if (bytes[next - 1] !== lineFeed) this.#hold(bytes, at, next);
      else this.#readPiece(bytes, at, next);
      at = next;
    }
    return at;
  }

  /** Copies the bytes, since their buffer is overwritten. */
  #hold(bytes: Buffer, at: number, end: number): void {
    this.#held = Buffer.concat([this.#held, bytes.subarray(at, end)]);
    if (this.#hasStatusLine) return;
    const { length } = this.#held;
    this.isBroken = !mayBeStatusLine(this.#held, skipReturns(this.#held, 0, length), length);
  }

  #readPiece(bytes: Buffer, at: number, end: number): void {
    if (this.#held.length === 0) {
      this.#readLine(bytes, at, end);
      return;
    }
    const line = Buffer.concat([this.#held, bytes.subarray(at, end)]);
    this.#held = nothing;
    this.#readLine(line, 0, line.length);
  }

  /** A line ends with CR LF; LF alone is accepted, but the connection is not reused then. */
  #readLine(bytes: Buffer, at: number, next: number): void {
    let end = next - 1;
    if (end > at && bytes[end - 1] === carriageReturn) end--;
    else this.isReusable = false;
    if (!this.#hasStatusLine) this.#readFirstLine(bytes, at, end);
    else if (at === end) this.#finish();
    else if (this.#isInterim) this.#readInterimHeader(bytes, at, end);
    else this.#readHeader(bytes, at, end);
  }

  /** Empty lines before the status line are skipped. */
  #readFirstLine(bytes: Buffer, start: number, end: number): void {
    const at = skipReturns(bytes, start, end);
    if (at > start || at === end) this.isReusable = false;
    if (at === end) return;
    const line = readStatusLine(bytes, at, end);
    if (!isValue(bytes, at, end)) this.isReusable = false;
    this.#hasStatusLine = true;
    this.#isInterim = line !== undefined && isInterim(line);
    if (this.#isInterim) {
      // HTTP/1.0 has no interim responses.
      if (line?.minor !== 1) this.isReusable = false;
      this.isBroken = ++this.#interims > maxInterims;
      return;
    }
    this.status = line && statusOf(line);
    if (this.status !== undefined && !isSuccess(this.status)) this.shown = {};
    this.hasNoBody = this.status === noContent || this.status === notModified;
    this.#minor = line?.minor;
    this.isBroken = line?.digits !== 3 || line.status < 200;
  }

  /** An interim response must not describe a body or the connection; if it does, the connection is not reused. */
  #readInterimHeader(bytes: Buffer, at: number, end: number): void {
    const colon = endOfName(bytes, at);
    if (colon === -1 || !isValue(bytes, colon + 1, end)) this.isReusable = false;
    else if (framing.has(bytes.toString('latin1', at, colon).toLowerCase()))
      this.isReusable = false;
  }

  #readHeader(bytes: Buffer, at: number, end: number): void {
    const colon = endOfName(bytes, at);
    if (colon === -1) {
      this.isBroken = true;
      return;
    }
    if (!isValue(bytes, colon + 1, end)) this.isReusable = false;
    this.all?.push(textOf(bytes, at, colon), valueOf(bytes, colon + 1, end));
    if (this.shown)
      keepHeader(this.shown, textOf(bytes, at, colon), valueOf(bytes, colon + 1, end));
    switch (colon - at) {
      case connection.length:
        if (isNamed(bytes, at, connection)) this.#applyConnection(textOf(bytes, colon + 1, end));
        if (isNamed(bytes, at, keepAlive)) this.#applyKeepAlive(valueOf(bytes, colon + 1, end));
        break;
      case proxyConnection.length:
        if (isNamed(bytes, at, proxyConnection)) {
          this.#applyConnection(textOf(bytes, colon + 1, end));
        }
        break;
      case retryAfter.length:
        if (isNamed(bytes, at, retryAfter)) this.retryAfter ??= valueOf(bytes, colon + 1, end);
        break;
      case contentLength.length:
        if (isNamed(bytes, at, contentLength))
          this.#applyContentLength(textOf(bytes, colon + 1, end));
        break;
      case transferEncoding.length:
        if (isNamed(bytes, at, transferEncoding))
          this.#applyTransferCoding(valueOf(bytes, colon + 1, end));
        break;
    }
  }

  #applyConnection(value: string): void {
    const options = value.toLowerCase();
    if (options.includes('close') || options.includes('upgrade')) this.isReusable = false;
    if (keepAliveForm.test(options)) this.#wantsKeepAlive = true;
  }

  #applyKeepAlive(value: string): void {
    const seconds = /timeout=(\d+)/i.exec(value)?.[1];
    if (Number(seconds) < minKeepAliveSeconds) this.isReusable = false;
  }

  #applyContentLength(value: string): void {
    const digits = lengthForm.exec(value)?.[1];
    const length = digits === undefined ? undefined : Number(digits);
    const isFirst = this.contentLength === undefined;
    if (!isFirst) this.isReusable = false;
    if (length === undefined || (!isFirst && this.contentLength !== length)) this.isBroken = true;
    this.contentLength = length;
  }

  #applyTransferCoding(value: string): void {
    if (this.isChunked || value.toLowerCase() !== 'chunked') this.isBroken = true;
    this.isChunked = true;
  }

  #finish(): void {
    if (this.#isInterim) {
      this.#hasStatusLine = false;
      this.#size = 0;
      return;
    }
    this.isWhole = true;
    // A server that announces a body with a 204 or 304 may send it; those bytes must not be read as the
    // next response.
    if (this.hasNoBody && (this.isChunked || (this.contentLength ?? 0) > 0)) {
      this.isReusable = false;
    }
    // The two lengths contradict each other.
    if (this.isChunked && (this.contentLength !== undefined || this.#minor === 0)) {
      this.isReusable = false;
    }
    if (this.#minor !== 1 && !(this.#minor === 0 && this.#wantsKeepAlive)) this.isReusable = false;
  }
}

/** Node accepts spaces around these values, and tabs only before a Content-Length. */
const keepAliveForm = /(?:^|,) *keep-alive *(?:,|$)/;
const lengthForm = /^[\t ]*(\d{1,15}) *$/;

function textOf(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('latin1', start, end);
}

/** Offset after the next line feed, or `end`. */
function endOfLine(bytes: Uint8Array, at: number, end: number): number {
  while (at < end) if (bytes[at++] === lineFeed) break;
  return at;
}

function skipReturns(bytes: Uint8Array, at: number, end: number): number {
  while (at < end && bytes[at] === carriageReturn) at++;
  return at;
}

function isInterim({ status, digits }: StatusLine): boolean {
  return digits === 3 && status >= 100 && status < 200 && status !== 101;
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** `0200` is not the status 200. */
function statusOf({ status, digits }: StatusLine): number | undefined {
  return digits !== 3 && status >= 200 && status <= 599 ? undefined : status;
}
