import type { Socket } from 'node:net';
import type { ReceivedExcerpt } from './body-excerpt.js';
import { closedByPeer, unreadable } from './connection-errors.js';
import { ResponseReader, type Reading, type ReadState } from './response-reader.js';
import { writeInBatch, type BatchWriter } from './write-batch.js';
import type { Connector, SocketUser } from './connector.js';
import type { EncodedHeaders } from './encoded-headers.js';
import type { Timed } from './timeouts.js';

/** One request, and the callbacks for its response. */
export interface Exchange {
  readonly headers: EncodedHeaders;
  readonly body: Buffer;
  /** What is to be read of the response. Default: what a verdict needs, and an excerpt unless it is a 2xx. */
  readonly reading?: Reading | undefined;
  /** The header lines of this request alone, each with its CRLF; asked for each time it is written. */
  headerLines(): string;
  /** Called when it is written. If it is sent again, `body` is asked for again. */
  written?(): void;
  /** Called at most once, with the final status and the text of the `Retry-After` header. */
  responded(status: number, retryAfter: string | undefined): void;
  /** Called at most once, after `responded` with a status that is no 2xx: its excerpt has not arrived. */
  awaitsExcerpt(): void;
  /** Called once after `responded` with a status that is no 2xx, at the latest when the exchange ends. */
  explained(excerpt: ReceivedExcerpt): void;
  /**
   * Called at most once, after these: the connection stays in use until the rest of the body has
   * arrived, or, if the body is whole, the rest of the request is written.
   */
  draining(isBodyWhole: boolean): void;
  /**
   * Called once, last. Without an error the connection is free for the next exchange; with one it is
   * closed. `isUntouched`: not one byte of a response has arrived.
   */
  ended(error: Error | undefined, isUntouched: boolean): void;
}

const smallestBuffer = 1024;
/** Larger requests are written in pieces, because copying them costs more than a second buffer. */
const largestBuffer = 16 * 1024;
const nothing = Buffer.alloc(0);

/** One HTTP/1.1 connection on one socket, for one exchange at a time. */
export class Connection implements Timed<Connection>, BatchWriter, SocketUser {
  /** Number of responses received. */
  served = 0;
  /** When it became idle, by `Clock.monotonic()`. */
  since = 0;
  previous: Connection | undefined = undefined;
  next: Connection | undefined = undefined;
  /** Set by the connector at once. */
  #socket!: Socket;
  #meaningOf = itself;
  #isOpen = false;
  #isClosed = false;
  #keepsAlive = true;
  #exchange: Exchange | undefined;
  #reader = new ResponseReader();
  #hasStatus = false;
  #isAwaitingExcerpt = false;
  #isExplained = false;
  /** Whether the whole response was read before the request was written. */
  #isResponseComplete = false;
  #isDraining = false;
  /** Whether part of the request is not written yet, so that its buffer is in use. */
  #isWriting = false;
  /** Holds the request that is being written; it begins with the fixed headers of `#bufferHeaders`. */
  #buffer: Buffer = nothing;
  #bufferHeaders: EncodedHeaders | undefined;

  constructor(connector: Connector) {
    connector.open(this);
  }

  attached(socket: Socket, meaningOf = itself): void {
    this.#meaningOf = meaningOf;
    if (this.#socket === socket) return;
    this.#socket = socket;
    const lost = (error: Error): void => {
      if (this.#socket === socket) this.close(error);
    };
    socket.on('error', lost);
    socket.on('end', () => lost(closedByPeer));
    socket.on('close', () => lost(closedByPeer));
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Sends a request as soon as the connection is open; no other exchange may be in progress. */
  start(exchange: Exchange): void {
    this.#exchange = exchange;
    this.#reader = new ResponseReader(exchange.reading);
    this.#hasStatus = false;
    this.#isAwaitingExcerpt = false;
    this.#isExplained = false;
    this.#isResponseComplete = false;
    this.#isDraining = false;
    if (this.#isOpen) writeInBatch(this);
  }

  /** Closes it in any phase, which also ends the exchange in progress. */
  close(reason: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket.destroy();
    this.#end(this.#meaningOf(reason));
  }

  /** Whether it keeps the process alive. */
  keepAlive(isKept: boolean): void {
    if (this.#keepsAlive === isKept) return;
    this.#keepsAlive = isKept;
    if (isKept) this.#socket.ref();
    else this.#socket.unref();
  }

  opened(): void {
    this.#isOpen = true;
    if (this.#exchange) writeInBatch(this);
  }

  /** Writes the request that was started, unless the connection was closed in between. */
  write(): void {
    if (!this.#exchange || this.#isClosed) return;
    try {
      this.#write(this.#exchange);
    } catch (error) {
      // The body or the header lines could not be made again.
      this.close(error as Error);
    }
  }

  /** In one piece, so that a small request fits in one packet. */
  #write(exchange: Exchange): void {
    this.#isWriting = true;
    const { headers, body } = exchange;
    const rest = headers.rest(body.length, exchange.headerLines());
    const bodyAt = headers.fixed.length + rest.length;
    const length = bodyAt + body.length;
    if (length > largestBuffer) {
      this.#writePieces(headers, rest, body);
      return;
    }
    this.#prepareBuffer(headers, length);
    this.#buffer.write(rest, headers.fixed.length, 'latin1');
    this.#buffer.set(body, bodyAt);
    this.#socket.write(this.#buffer.subarray(0, length), this.#onWritten);
  }

  #writePieces(headers: EncodedHeaders, rest: string, body: Buffer): void {
    this.#socket.cork();
    this.#socket.write(headers.fixed);
    this.#socket.write(rest, 'latin1');
    this.#socket.write(body, this.#onWritten);
    this.#socket.uncork();
  }

  readonly #onWritten = (): void => {
    this.#isWriting = false;
    this.#exchange?.written?.();
    if (this.#isResponseComplete && !this.#isClosed) this.#end(undefined);
  };

  #prepareBuffer(headers: EncodedHeaders, length: number): void {
    if (length > this.#buffer.length) {
      this.#buffer = Buffer.allocUnsafeSlow(sizeFor(length));
    } else if (this.#bufferHeaders === headers) return;
    this.#buffer.set(headers.fixed, 0);
    this.#bufferHeaders = headers;
  }

  read(bytes: Buffer, length: number): void {
    const exchange = this.#exchange;
    const state = this.#advance(bytes, length);
    if (state === 'headers') return;
    if (exchange) this.#report(exchange, state);
    // The callbacks may have closed the connection.
    if (this.#isClosed || state === 'excerpt') return;
    if (state === 'over') this.close(unreadable(bytes, length));
    else if (state === 'whole' && !this.#isWriting) this.#end(undefined);
    else this.#drain(state === 'whole');
  }

  #advance(bytes: Buffer, length: number): ReadState {
    // Bytes without a request in progress, or after the whole response, belong to no request.
    if (!this.#exchange || this.#isResponseComplete) return 'over';
    const state = this.#reader.read(bytes, length);
    // A full buffer may not be all that has arrived, and the rest must not be read as the next response.
    return state === 'whole' && length === bytes.length ? 'over' : state;
  }

  /**
   * The result is known, but the connection is still in use: the rest of the body is missing, or the
   * request is not written completely. (TLS reports a write later than TCP does, so the response can be
   * complete first.)
   */
  #drain(isResponseComplete: boolean): void {
    this.#isResponseComplete = isResponseComplete;
    if (this.#isDraining) return;
    this.#isDraining = true;
    this.#exchange?.draining(isResponseComplete);
  }

  #report(exchange: Exchange, state: ReadState): void {
    if (!this.#hasStatus) this.#reportStatus(exchange);
    if (state !== 'excerpt') this.#reportExcerpt(exchange);
    else if (!this.#isAwaitingExcerpt && !this.#isClosed) {
      this.#isAwaitingExcerpt = true;
      exchange.awaitsExcerpt();
    }
  }

  #reportStatus(exchange: Exchange): void {
    const { status, retryAfter } = this.#reader;
    if (status === undefined) return;
    this.#hasStatus = true;
    this.served++;
    exchange.responded(status, retryAfter);
  }

  #reportExcerpt(exchange: Exchange): void {
    if (this.#isExplained) return;
    this.#isExplained = true;
    const { excerpt } = this.#reader;
    if (excerpt) exchange.explained(excerpt);
  }

  #end(error: Error | undefined): void {
    const exchange = this.#exchange;
    if (!exchange) return;
    this.#exchange = undefined;
    // The status line decides, even if the headers after it never arrived.
    this.#report(exchange, 'over');
    exchange.ended(error, this.#reader.isEmpty);
  }
}

function itself(error: Error): Error {
  return error;
}

/** The next power of two. */
function sizeFor(length: number): number {
  let size = smallestBuffer;
  while (size < length) size *= 2;
  return size;
}
