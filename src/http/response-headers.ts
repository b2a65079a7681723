import { endOfName, isNamed, isValue, valueOf } from './header-line.js';
import { mayBeStatusLine, readStatusLine, type StatusLine } from './status-line.js';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
/** A head beyond this is not read on, as Node and undici have it. */
const maxHeaderBytes = 16 * 1024;
/** Limit for interim (1xx) responses before the final one. */
const maxInterims = 1_000;
const nothing = Buffer.alloc(0);

/**
 * Idle connections are closed after 2 s here. A server that says it closes its own as soon as that
 * would often be crossed on the wire by the next request.
 */
const leastKeepAliveSeconds = 3;

const noContent = 204;
const notModified = 304;

const connection = 'connection';
/** Old proxies sent it in place of Connection; Node treats it the same. */
const proxyConnection = 'proxy-connection';
const keepAlive = 'keep-alive';
const retryAfter = 'retry-after';
const contentLength = 'content-length';
const transferEncoding = 'transfer-encoding';

/** Headers that say where a body ends, and whether the connection does. */
const framing = new Set([connection, proxyConnection, keepAlive, contentLength, transferEncoding]);

/**
 * Reads the head of an answer, however it is cut: the status, and of the headers those that matter.
 * Interim answers (`100 Continue`, RFC 9110 section 15.2) are passed over; 101 is none, for it ends
 * the talk in HTTP.
 *
 * What is out of the ordinary does not change the verdict, which is the status's, but makes an end
 * of the connection: `isReusable` is false.
 */
export class ResponseHeaders {
  /** The final status, once a whole first line has told it. */
  status: number | undefined;
  /** The text of the first `Retry-After`. */
  retryAfter: string | undefined;
  /** Of the body, in bytes, where the headers tell. */
  contentLength: number | undefined;
  isChunked = false;
  /** Whether no body can follow, whatever the headers say. */
  hasNoBody = false;
  /** Whether nothing of the head is against using the connection again. */
  isReusable = true;
  /** Whether not a byte has come. */
  isEmpty = true;
  /** Whether its last byte was read. */
  isWhole = false;
  /** Whether it can be read no further: it is no HTTP, or its status is the last word. */
  isBroken = false;
  #hasStatusLine = false;
  #isInterim = false;
  #interims = 0;
  #minor: number | undefined = 1;
  #wantsKeepAlive = false;
  #size = 0;
  /** The beginning of a line whose end has not come. */
  #held: Buffer = nothing;

  /** Takes what came next, `bytes[at, end)`, and returns where it stopped: behind the head. */
  take(bytes: Buffer, at: number, end: number): number {
    this.isEmpty = false;
    while (at < end && !this.isWhole && !this.isBroken) {
      const next = endOfLine(bytes, at, end);
      this.#size += next - at;
      if (this.#size > maxHeaderBytes) this.isBroken = true;
      else if (bytes[next - 1] !== lineFeed) this.#hold(bytes, at, next);
      else this.#takeLine(bytes, at, next);
      at = next;
    }
    return at;
  }

  /** Copied, for the bytes will be written over. */
  #hold(bytes: Buffer, at: number, end: number): void {
    this.#held = Buffer.concat([this.#held, bytes.subarray(at, end)]);
    if (this.#hasStatusLine) return;
    const { length } = this.#held;
    this.isBroken = !mayBeStatusLine(this.#held, skipReturns(this.#held, 0, length), length);
  }

  #takeLine(bytes: Buffer, at: number, end: number): void {
    if (this.#held.length === 0) {
      this.#readLine(bytes, at, end);
      return;
    }
    const line = Buffer.concat([this.#held, bytes.subarray(at, end)]);
    this.#held = nothing;
    this.#readLine(line, 0, line.length);
  }

  /** A line ends with CR and LF; LF alone is read as well, but nothing is built on it. */
  #readLine(bytes: Buffer, at: number, next: number): void {
    let end = next - 1;
    if (end > at && bytes[end - 1] === carriageReturn) end--;
    else this.isReusable = false;
    if (!this.#hasStatusLine) this.#readFirstLine(bytes, at, end);
    else if (at === end) this.#finish();
    else if (this.#isInterim) this.#readInterimHeader(bytes, at, end);
    else this.#readHeader(bytes, at, end);
  }

  /** Empty lines in front of it are passed over. */
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
    this.hasNoBody = this.status === noContent || this.status === notModified;
    this.#minor = line?.minor;
    this.isBroken = line?.digits !== 3 || line.status < 200;
  }

  /** An interim answer decides nothing, but what it says of a body or of the connection is not trusted. */
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
    if (Number(seconds) < leastKeepAliveSeconds) this.isReusable = false;
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
    // Whichever of the two lengths is meant, the other one is a lie.
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

/** Offset behind the next line feed, or `end`. */
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

/** `0200` is none of the statuses that it looks like. */
function statusOf({ status, digits }: StatusLine): number | undefined {
  return digits !== 3 && status >= 200 && status <= 599 ? undefined : status;
}
