import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEachTest } from './after-each.js';
import type { Certificate } from './certificates.js';

/** A request for an object. */
export interface ObjectRequest {
  /** From 0, over all requests. */
  readonly index: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The bytes asked for, the end excluded; undefined for all. */
  readonly range: readonly [start: number, end: number] | undefined;
}

export type Answer = (response: ServerResponse, request: ObjectRequest) => void;

export interface ObjectServerOptions {
  readonly bytes?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the object, for some requests. */
  readonly answer?: (request: ObjectRequest) => Answer | undefined;
  readonly tls?: Certificate;
}

export interface ObjectServer {
  readonly url: string;
  readonly requests: readonly ObjectRequest[];
  /** Resolves when so many requests have come. */
  arrived(count: number): Promise<void>;
}

const started: (() => Promise<void>)[] = [];

/** A server of one object, which answers ranges as it should, on a free port of loopback; closed after the test. */
export async function startObjectServer(options: ObjectServerOptions = {}): Promise<ObjectServer> {
  const { bytes = Buffer.alloc(0), headers = { etag: '"one"' }, answer, tls } = options;
  const requests: ObjectRequest[] = [];
  let waiting: { count: number; resolve: () => void }[] = [];
  const handle = (incoming: IncomingMessage, response: ServerResponse): void => {
    const request = requestOf(incoming, requests.length);
    requests.push(request);
    const act = answer?.(request) ?? object(bytes, headers);
    response.on('error', () => undefined);
    act(response, request);
    waiting = waiting.filter(({ count, resolve }) => {
      if (requests.length >= count) resolve();
      return requests.length < count;
    });
  };
  const server = tls ? createTlsServer(tls, handle) : createServer(handle);
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  started.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https://localhost' : 'http://127.0.0.1'}:${port}/logs/a.ndjson`,
    requests,
    arrived: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
  };
}

afterEachTest(async () => {
  await Promise.all(started.splice(0).map((close) => close()));
});

function requestOf({ url = '', headers }: IncomingMessage, index: number): ObjectRequest {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
  const range = first === undefined ? undefined : ([Number(first), Number(last) + 1] as const);
  return { index, path: url, headers, range };
}

/** The object, or the part that is asked for. */
export function object(bytes: Buffer, headers: Readonly<Record<string, string>> = {}): Answer {
  return (response, { range, headers: { 'if-match': expected } }) => {
    if (expected !== undefined && expected !== headers.etag) {
      response.writeHead(412, headers).end();
    } else if (range === undefined) {
      response.writeHead(200, { ...headers, 'content-length': bytes.length }).end(bytes);
    } else if (range[0] >= bytes.length) {
      response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
    } else {
      const part = bytes.subarray(...range);
      const last = range[0] + part.length - 1;
      const contentRange = `bytes ${range[0]}-${last}/${bytes.length}`;
      response.writeHead(206, {
        ...headers,
        'content-range': contentRange,
        'content-length': part.length,
      });
      response.end(part);
    }
  };
}

export function status(code: number, headers: Record<string, string> = {}, body = ''): Answer {
  return (response) => response.writeHead(code, headers).end(body);
}

/** Does as `answer`, but its connection breaks after so many bytes of the body, by a reset or in order. */
export function cutAfter(count: number, answer: Answer, isReset = false): Answer {
  return (response, request) => {
    response.end = ((body?: Buffer) => {
      const break_ = () =>
        isReset ? response.socket?.resetAndDestroy() : response.socket?.destroy();
      if (count === 0) response.flushHeaders();
      response.write(body?.subarray(0, count) ?? '', () => setImmediate(break_));
      return response;
    }) as ServerResponse['end'];
    answer(response, request);
  };
}

/** The whole, whatever is asked for; without its size if it is chunked. */
export function whole(
  bytes: Buffer,
  headers: Readonly<Record<string, string>> = {},
  isChunked = false,
): Answer {
  return (response) => {
    const length = isChunked ? {} : { 'content-length': bytes.length };
    response.writeHead(200, { ...headers, ...length });
    if (isChunked) response.write(bytes.subarray(0, 10));
    response.end(isChunked ? bytes.subarray(10) : bytes);
  };
}
