import { createServer, request, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import {
  Forwarder,
  type ForwarderOptions,
  type ForwardResult,
} from '../../../src/listen/forward/forwarder.js';
import { afterEachTest } from '../../helpers/after-each.js';

const closing: (() => Promise<unknown>)[] = [];

afterEachTest(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A receiver that forwards each request. */
export interface Forwarding {
  readonly forwarder: Forwarder;
  readonly port: number;
  /** In the order in which the exchanges ended. */
  readonly results: readonly ForwardResult[];
  /** Resolves when `count` exchanges have ended. */
  readonly ended: (count: number) => Promise<void>;
}

/** Starts an app of `node:http`; resolves to its URL without a path. */
export async function startApp(app: RequestListener): Promise<string> {
  const server = createServer(app);
  const port = await listening(server);
  return `http://127.0.0.1:${port}`;
}

/** Starts a receiver that forwards to this URL. */
export async function startForwarding(
  url: string,
  options: Partial<ForwarderOptions> = {},
): Promise<Forwarding> {
  const forwarder = new Forwarder({ url, ...options });
  const results: ForwardResult[] = [];
  let waiters: { count: number; resolve: () => void }[] = [];
  const add = (result: ForwardResult): void => {
    const count = results.push(result);
    for (const waiter of waiters) if (waiter.count <= count) waiter.resolve();
    waiters = waiters.filter((waiter) => waiter.count > count);
  };
  const server = createServer((incoming, response) => {
    const { method, url: path, rawHeaders: headers, socket } = incoming;
    const { remoteAddress } = socket;
    void buffer(incoming).then(async (body) => {
      const request = { method: method!, path: path!, headers, body, remoteAddress };
      add(await forwarder.forward(request, response));
    });
  });
  const port = await listening(server);
  closing.push(() => forwarder.close());
  return {
    forwarder,
    port,
    results,
    ended: (count) =>
      new Promise((resolve) => {
        if (results.length >= count) resolve();
        else waiters.push({ count, resolve });
      }),
  };
}

async function listening(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

export interface Sent {
  readonly method?: string;
  readonly path?: string;
  /** Name, value, …; Host is added. */
  readonly headers?: readonly string[];
  readonly body?: Buffer | string;
}

export interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Sends a request and reads the whole response. Rejects if it breaks off. */
export async function send(port: number, sent: Sent = {}): Promise<Answer> {
  const message = await begin(port, sent);
  const body = await buffer(message);
  const { statusCode, statusMessage, rawHeaders, headers } = message;
  return { status: statusCode!, reason: statusMessage!, rawHeaders, headers, body };
}

/** Sends a request; resolves at the status line of its response. */
export function begin(port: number, sent: Sent = {}): Promise<IncomingMessage> {
  const { method = 'POST', path = '/', headers = [], body = '' } = sent;
  const bytes = Buffer.from(body as string);
  const length = bytes.length > 0 ? ['Content-Length', String(bytes.length)] : [];
  const all = ['Host', 'hooks.example', ...headers, ...length];
  return new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', method, path, headers: all, agent: false })
      .on('response', resolve)
      .on('error', reject)
      .end(bytes);
  });
}

/** Raw headers as pairs. */
export function pairs(rawHeaders: readonly string[]): [string, string][] {
  const list: [string, string][] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) list.push([rawHeaders[i]!, rawHeaders[i + 1]!]);
  return list;
}
