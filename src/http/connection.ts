import type { Socket } from 'node:net';
import { ResponseReader, type ReadState } from './response-reader.js';
import { writeInBatch, type BatchWriter } from './write-batch.js';
import type { Connector } from './connector.js';
import type { RequestHeaders } from './request-headers.js';
import type { Timed } from './timeouts.js';

/** One request, and who is told of its answer. */
export interface Exchange {
  readonly headers: RequestHeaders;
  readonly body: Buffer;
  /** Of the body, in lowercase hex. */
  readonly signature?: string | undefined;
  /** Called once at most, when the status is final; `retryAfter` is the text of that header. */
  responded(status: number, retryAfter: string | undefined): void;
  /**
   * Called once at most, after `answered`: the connection stays in use until the rest of the body has
   * come, or the rest of the request is written.
   */
  draining(): void;
  /**
   * Called once, last. Without an error the connection is free for the next exchange; with one it is
   * closed. `isUntouched` tells that not a byte of an answer has come.
   */
  ended(error: Error | undefined, isUntouched: boolean): void;
}

const smallestBuffer = 1024;
/** Larger requests are written in pieces: so long a copy costs more than a second buffer does. */
const largestBuffer = 16 * 1024;
const nothing = Buffer.alloc(0);

const closedByPeer = Object.assign(new Error('connection closed'), { code: 'ECONNRESET' });
const notHttp = new Error('the answer is not HTTP, or cannot be read to its end');

/** One HTTP/1.1 connection on one socket, which takes one exchange after the other. */
export class Connection implements Timed<Connection>, BatchWriter {
  /** How many answers it has given. */
  served = 0;
  /** Since when it is idle, by `Clock.monotonic()`. */
  since = 0;
  previous: Connection | undefined = undefined;
  next: Connection | undefined = undefined;
  readonly #socket: Socket;
  #isOpen = false;
  #isClosed = false;
  #keepsAlive = true;
  #exchange: Exchange | undefined;
  #reader = new ResponseReader();
  #isAnswered = false;
  /** Whether the whole response was read before the request was written. */
  #isResponseComplete = false;
  #isDraining = false;
  /** Whether part of the request, and so its buffer, is still to be written. */
  #isWriting = false;
  /** Holds the request that is being written, and the fixed head of `#bufferHead` to begin with. */
  #buffer: Buffer = nothing;
  #bufferHeaders: RequestHeaders | undefined;

  /** Begins to open it. */
  constructor(connector: Connector) {
    this.#socket = connector.open(
      (bytes, length) => this.#read(bytes, length),
      () => this.#opened(),
    );
    this.#socket.on('error', (error) => this.close(error));
    this.#socket.on('end', () => this.close(closedByPeer));
    this.#socket.on('close', () => this.close(closedByPeer));
  }

  /** Whether it can take no exchange any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Sends a request as soon as it is open; there must be none under way. */
  start(exchange: Exchange): void {
    this.#exchange = exchange;
    this.#reader = new ResponseReader();
    this.#isAnswered = false;
    this.#isResponseComplete = false;
    this.#isDraining = false;
    if (this.#isOpen) writeInBatch(this);
  }

  /** Ends it in whatever phase it is, and with it the exchange that is under way. */
  close(reason: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket.destroy();
    this.#end(reason);
  }

  /** Whether the process is to live on for it. */
  keepAlive(isKept: boolean): void {
    if (this.#keepsAlive === isKept) return;
    this.#keepsAlive = isKept;
    if (isKept) this.#socket.ref();
    else this.#socket.unref();
  }

  #opened(): void {
    this.#isOpen = true;
    if (this.#exchange) writeInBatch(this);
  }

  /** Writes the request that was started, unless it was given up in between. */
  write(): void {
    if (this.#exchange && !this.#isClosed) this.#write(this.#exchange);
  }

  /** In one piece, so that it goes in one packet where it fits. */
  #write({ headers: head, body, signature }: Exchange): void {
    this.#isWriting = true;
    const rest = head.rest(body.length, signature);
    const bodyAt = head.fixed.length + rest.length;
    const length = bodyAt + body.length;
    if (length > largestBuffer) {
      this.#writePieces(head, rest, body);
      return;
    }
    this.#prepareBuffer(head, length);
    this.#buffer.write(rest, head.fixed.length, 'latin1');
    this.#buffer.set(body, bodyAt);
    this.#socket.write(this.#buffer.subarray(0, length), this.#onWritten);
  }

  #writePieces(headers: RequestHeaders, rest: string, body: Buffer): void {
    this.#socket.cork();
    this.#socket.write(headers.fixed);
    this.#socket.write(rest, 'latin1');
    this.#socket.write(body, this.#onWritten);
    this.#socket.uncork();
  }

  readonly #onWritten = (): void => {
    this.#isWriting = false;
    if (this.#isResponseComplete && !this.#isClosed) this.#end(undefined);
  };

  #prepareBuffer(headers: RequestHeaders, length: number): void {
    if (length > this.#buffer.length) {
      this.#buffer = Buffer.allocUnsafeSlow(sizeFor(length));
    } else if (this.#bufferHeaders === headers) return;
    this.#buffer.set(headers.fixed, 0);
    this.#bufferHeaders = headers;
  }

  #read(bytes: Buffer, length: number): void {
    const exchange = this.#exchange;
    const state = this.#readingOf(bytes, length);
    if (state === 'head') return;
    if (exchange) this.#tellAnswer(exchange);
    // Who was told may have closed it.
    if (this.#isClosed) return;
    if (state === 'over') this.close(notHttp);
    else if (state === 'whole' && !this.#isWriting) this.#end(undefined);
    else this.#drain(state === 'whole');
  }

  #readingOf(bytes: Buffer, length: number): ReadState {
    // What comes when nothing was asked for, or behind the whole response, belongs to no request.
    if (!this.#exchange || this.#isResponseComplete) return 'over';
    const state = this.#reader.take(bytes, length);
    // A full buffer may not be all that has come, and the rest must not be taken for the next response.
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
    this.#exchange?.draining();
  }

  #tellAnswer(exchange: Exchange): void {
    const { status, retryAfter } = this.#reader;
    if (this.#isAnswered || status === undefined) return;
    this.#isAnswered = true;
    this.served++;
    exchange.responded(status, retryAfter);
  }

  #end(error: Error | undefined): void {
    const exchange = this.#exchange;
    if (!exchange) return;
    this.#exchange = undefined;
    // The status line decides, even where the headers behind it never came.
    this.#tellAnswer(exchange);
    exchange.ended(error, this.#reader.isEmpty);
  }
}

/** The next power of two. */
function sizeFor(length: number): number {
  let size = smallestBuffer;
  while (size < length) size *= 2;
  return size;
}
