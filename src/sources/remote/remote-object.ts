import type { RandomAccess } from '../random-access.js';
import { SourceError } from '../source-error.js';
import { parseContentRange } from './content-range.js';
import type { Headers, HttpResponse } from './http-client.js';
import { Requester, type Transport } from './requester.js';
import { Retries, RetryableError, type RetryOptions } from './retries.js';

interface Remote {
  /** Without query and credentials; for messages. */
  readonly name: string;
  /** The ETag, else length and Last-Modified; empty if the server tells none of them. */
  readonly version: string;
  /** Whether any offset can be read at once; otherwise all before it is read and dropped. */
  readonly hasRanges: boolean;
  /** Drops a response that was opened and not read. */
  close(): void;
}

/** An object of known size. */
export interface RemoteFile extends Remote, RandomAccess {}

/** An object whose size the server does not tell: it can be read from the start only, like a pipe. */
export interface RemoteStream extends Remote {
  readonly size: undefined;
  readonly hasRanges: false;
  read(start: number, end: number, signal?: AbortSignal): AsyncIterable<Buffer>;
}

export type HttpObject = RemoteFile | RemoteStream;

/** What is known of an object before it is read, from a list. */
export interface KnownObject {
  readonly size: number;
  readonly etag?: string | undefined;
}

/** @throws UsageError if it cannot be had, SourceError if it cannot be reached */
export async function openObject(
  transport: Transport,
  options: RetryOptions,
  signal?: AbortSignal,
): Promise<HttpObject> {
  const object = new RemoteObject(transport, options);
  await object.open(signal);
  return object as HttpObject;
}

/** An object of a list, without a request. */
export function knownObject(
  transport: Transport,
  known: KnownObject,
  options: RetryOptions,
): RemoteFile {
  return new RemoteObject(transport, options, known) as RemoteFile;
}

/** A response of the whole is kept for this time, so that it is not asked for twice. */
const keptMs = 30_000;

class RemoteObject {
  readonly #requester: Requester;
  readonly #options: RetryOptions;
  #size: number | undefined;
  #etag: string | undefined;
  #lastModified: string | undefined;
  #hasRanges = true;
  /** A server that compresses while it sends may send other bytes each time. */
  #isCompressedOnTheFly = false;
  #kept: { readonly response: HttpResponse; readonly forget: () => void } | undefined;

  constructor(transport: Transport, options: RetryOptions, known?: KnownObject) {
    this.#requester = new Requester(transport, options.clock);
    this.#options = options;
    this.#size = known?.size;
    this.#etag = known?.etag;
  }

  get name(): string {
    return this.#requester.name;
  }

  get size(): number | undefined {
    return this.#size;
  }

  get hasRanges(): boolean {
    return this.#hasRanges;
  }

  get version(): string {
    if (this.#etag !== undefined) return this.#etag;
    const length = this.#size === undefined ? [] : [`${this.#size} bytes`];
    return [...length, ...(this.#lastModified ? [this.#lastModified] : [])].join(', ');
  }

  close(): void {
    this.#takeKept()?.discard();
  }

  /** A GET, because a presigned URL allows no HEAD. */
  async open(signal: AbortSignal | undefined): Promise<void> {
    const retries = new Retries(this.name, this.#options);
    for (;;) {
      try {
        this.#look(await this.#requester.get([['Range', 'bytes=0-0']], signal, [200, 206, 416]));
        return;
      } catch (error) {
        await retries.wait(error, signal);
      }
    }
  }

  #look(response: HttpResponse): void {
    this.#etag = response.header('etag');
    this.#lastModified = response.header('last-modified');
    const range = parseContentRange(response.header('content-range'));
    if (response.status === 200) {
      this.#lookAtWhole(response);
      return;
    }
    response.discard();
    if (response.status === 206) {
      if (range?.bytes?.first !== 0) throw wrongRange();
      this.#size = range.total;
      // Without the size nothing would tell where to end.
      this.#hasRanges = range.total !== undefined;
    } else if ((range?.total ?? 0) === 0) this.#size = 0;
    else throw wrongRange();
  }

  #lookAtWhole(response: HttpResponse): void {
    const length = response.header('content-length');
    this.#hasRanges = false;
    this.#isCompressedOnTheFly = isEncoded(response);
    this.#size = length === undefined || this.#isCompressedOnTheFly ? undefined : Number(length);
    const forget = this.#options.clock.after(keptMs, () => this.close(), { keepsAlive: false });
    this.#kept = { response, forget };
  }

  #takeKept(): HttpResponse | undefined {
    const kept = this.#kept;
    this.#kept = undefined;
    kept?.forget();
    return kept?.response;
  }

  async *read(start: number, end: number, signal?: AbortSignal): AsyncGenerator<Buffer> {
    const stop = Math.min(end, this.#size ?? Infinity);
    const retries = new Retries(this.name, this.#options);
    let at = start;
    while (at < stop) {
      try {
        for await (const chunk of this.#piece(at, stop, signal)) {
          at += chunk.length;
          retries.progressed();
          yield chunk;
        }
        if (this.#size === undefined) return;
      } catch (error) {
        if (at > start && !this.#canResume && error instanceof RetryableError) throw cutOff(error);
        await retries.wait(error, signal);
      }
    }
  }

  /** Whether a second response can be known to have the same bytes. */
  get #canResume(): boolean {
    if (this.#isCompressedOnTheFly) return false;
    return (this.#size ?? this.#etag ?? this.#lastModified) !== undefined;
  }

  /** The bytes of one response, possibly fewer than asked for. */
  async *#piece(at: number, stop: number, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
    const response = await this.#answerFor(at, stop, signal);
    this.#expectSame(response);
    yield* response.status === 206
      ? this.#part(response, at, stop)
      : this.#partOfWhole(response, at, stop);
  }

  async #answerFor(
    at: number,
    stop: number,
    signal: AbortSignal | undefined,
  ): Promise<HttpResponse> {
    const kept = at === 0 ? this.#takeKept() : undefined;
    if (kept) return kept;
    const range: Headers = this.#hasRanges ? [['Range', `bytes=${at}-${stop - 1}`]] : [];
    const headers = [...range, ...this.#ifMatch()];
    const response = await this.#requester.get(headers, signal, [200, 206, 412, 416]);
    const { status } = response;
    if (status === 200 || (status === 206 && range.length > 0)) return response;
    response.discard();
    throw status === 206 ? wrongRange() : changed();
  }

  /** Only a strong ETag: RFC 9110 section 13.1.1. */
  #ifMatch(): Headers {
    const isStrong = this.#etag?.startsWith('"') === true;
    return isStrong && this.#etag ? [['If-Match', this.#etag]] : [];
  }

  /** Servers may ignore If-Match. */
  #expectSame(response: HttpResponse): void {
    const [etag, lastModified] = [response.header('etag'), response.header('last-modified')];
    const isOther =
      this.#etag !== undefined
        ? etag !== undefined && opaque(etag) !== opaque(this.#etag)
        : this.#lastModified !== undefined &&
          lastModified !== undefined &&
          lastModified !== this.#lastModified;
    if (!isOther) return;
    response.discard();
    throw changed();
  }

  async *#part(response: HttpResponse, at: number, stop: number): AsyncGenerator<Buffer> {
    const { bytes, total } = parseContentRange(response.header('content-range')) ?? {};
    if (bytes?.first !== at || (total ?? this.#size) !== this.#size) {
      response.discard();
      throw bytes?.first === at ? changed() : wrongRange();
    }
    yield* within(response.body, at, Math.min(bytes.last + 1, stop), bytes.last + 1);
  }

  async *#partOfWhole(response: HttpResponse, at: number, stop: number): AsyncGenerator<Buffer> {
    const length = response.header('content-length');
    const isOther = length === undefined ? isEncoded(response) : Number(length) !== this.#size;
    if (this.#size !== undefined && isOther) {
      response.discard();
      throw changed();
    }
    // A request for all that was answered with all says nothing about ranges.
    if (at > 0 || stop !== this.#size) this.#hasRanges = false;
    yield* from(within(response.body, 0, stop, this.#size ?? Infinity), at);
  }
}

function isEncoded(response: HttpResponse): boolean {
  const encoding = response.header('content-encoding')?.trim().toLowerCase() ?? '';
  return encoding !== '' && encoding !== 'identity';
}

/** Two ETags are of the same bytes, or nearly, apart from their strength. */
function opaque(etag: string): string {
  return etag.replace(/^W\//, '');
}

/** The chunks of `[start, stop)` of a body that begins at `start` and ends at `last`. */
async function* within(
  body: AsyncIterable<Buffer>,
  start: number,
  stop: number,
  last: number,
): AsyncGenerator<Buffer> {
  let at = start;
  for await (const chunk of body) {
    if (at + chunk.length > last) throw wrongRange();
    yield at + chunk.length > stop ? chunk.subarray(0, stop - at) : chunk;
    at += chunk.length;
    if (at >= stop) return;
  }
  if (at < stop && last !== Infinity) throw new RetryableError('the answer was cut off');
}

async function* from(chunks: AsyncIterable<Buffer>, offset: number): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const chunk of chunks) {
    const skipped = Math.max(0, Math.min(offset - at, chunk.length));
    at += chunk.length;
    if (skipped < chunk.length) yield chunk.subarray(skipped);
  }
}

function changed(): SourceError {
  return new SourceError('has changed while it was read', {
    advice: 'run again when nothing writes to it',
  });
}

function wrongRange(): SourceError {
  return new SourceError('the server answers requests for a part with other bytes', {
    advice: 'fetch the file, and pass that',
  });
}

function cutOff(cause: RetryableError): SourceError {
  const reason = `was cut off, and the server cannot continue it: ${cause.message}`;
  return new SourceError(reason, { advice: 'fetch the file, and pass that', cause });
}
