import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEachTest } from './after-each.js';

/** One request, as its bytes were received. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  /** In the order of the wire, names as they were spelled. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** The index of its connection, from 0. */
  readonly connection: number;
}

/** Bytes to write, or a function on the connection; undefined sends no response. */
export type RawAnswer = string | Buffer | ((socket: Socket) => unknown) | undefined;

export interface RawServerOptions {
  /** Decides on each request; `index` counts from 0. */
  readonly response?: (request: RawRequest, index: number) => RawAnswer;
  /** Called for each new connection, before anything is read. */
  readonly onConnection?: (socket: Socket, index: number) => void;
  /** Speaks TLS with these. */
  readonly tls?: TlsOptions;
}

/** A TCP server that responds with arbitrary bytes, including invalid HTTP. */
export interface RawServer {
  readonly port: number;
  readonly url: string;
  readonly requests: readonly RawRequest[];
  /** Every connection that was ever accepted. */
  readonly sockets: readonly Socket[];
  /** All received bytes, decrypted, including partial requests. */
  readonly bytesReceived: number;
  /** Resolves when `count` complete requests were received. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
}

const servers: RawServer[] = [];

/** Starts a server on a free port of loopback; it is closed after the test. */
export async function startRawServer(options: RawServerOptions = {}): Promise<RawServer> {
  const sockets: Socket[] = [];
  const requests: RawRequest[] = [];
  let bytesReceived = 0;
  let waiters: { count: number; resolve: () => void }[] = [];
  const take = (socket: Socket, request: RawRequest): void => {
    const index = requests.push(request) - 1;
    waiters = waiters.filter(({ count, resolve }) => {
      if (requests.length >= count) resolve();
      return requests.length < count;
    });
    const response = (options.response ?? (() => reply(200)))(request, index);
    if (typeof response === 'function') response(socket);
    else if (response !== undefined) socket.write(response);
  };
  const accept = (socket: Socket): void => {
    const connection = sockets.push(socket) - 1;
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    options.onConnection?.(socket, connection);
    let text = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      bytesReceived += chunk.length;
      text = Buffer.concat([text, chunk]);
      for (let read = readRequest(text); read; read = readRequest(text)) {
        text = text.subarray(read.length);
        take(socket, { ...read.request, connection });
      }
    });
  };
  const server = options.tls ? createTlsServer(options.tls, accept) : createServer(accept);
  // Closed by the client in the middle of a handshake: what the TLS tests are about.
  server.on('tlsClientError', () => undefined);
  const plain: Socket[] = [];
  server.on('connection', (socket: Socket) => plain.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const started: RawServer = {
    port,
    url: `${options.tls ? 'https://localhost' : 'http://127.0.0.1'}:${port}/hook`,
    requests,
    sockets,
    get bytesReceived() {
      return bytesReceived;
    },
    arrived: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiters.push({ count, resolve });
      }),
    close: () => {
      for (const socket of plain) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  servers.push(started);
  return started;
}

afterEachTest(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** A complete response; the reason phrase is omitted, as HTTP allows. */
export function reply(
  status: number | string,
  headers: Record<string, string> = {},
  body = '',
): string {
  const all = { 'content-length': String(Buffer.byteLength(body)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} \r\n${lines.join('')}\r\n${body}`;
}

/** Writes each byte in a packet of its own. */
export function byteByByte(text: string): (socket: Socket) => Promise<void> {
  return async (socket) => {
    for (const byte of Buffer.from(text, 'latin1')) {
      socket.write(Buffer.of(byte));
      await nextTurn();
      await nextTurn();
    }
  };
}

/** Writes a text, and ends the connection in order. */
export function thenEnd(text: string): (socket: Socket) => void {
  return (socket) => socket.end(text, 'latin1');
}

/** Ends the connection with a TCP reset. */
export function reset(socket: Socket): void {
  socket.resetAndDestroy();
}

function readRequest(
  bytes: Buffer,
): { request: Omit<RawRequest, 'connection'>; length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const [method = '', path = ''] = first.split(' ');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
  const given = headers.find(([name]) => name.toLowerCase() === 'content-length');
  const length = end + 4 + Number(given?.[1] ?? 0);
  if (bytes.length < length) return undefined;
  const body = Buffer.from(bytes.subarray(end + 4, length));
  return { request: { method, path, headers, body }, length };
}
