import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { afterEachTest } from './after-each.js';

/** What a proxy was asked for. */
export interface ConnectRequest {
  /** `hook.example.test:443`. */
  readonly authority: string;
  /** The value of Proxy-Authorization. */
  readonly authorization: string | undefined;
}

export interface ProxyOptions {
  /** Speaks TLS with its clients. */
  readonly tls?: TlsOptions;
  /**
   * Takes the place of a tunnel, by the index of the request: bytes to write, after which the connection ends, or what
   * to do with it. Default, and for undefined: a tunnel to the same port of this machine, whatever the host.
   */
  readonly response?: (
    request: ConnectRequest,
    index: number,
  ) => string | ((socket: Socket) => unknown) | undefined;
  /** Written in place of the usual response before a tunnel. */
  readonly accepts?: string;
}

/** An HTTP proxy on loopback that only knows CONNECT. */
export interface Proxy {
  readonly url: string;
  readonly requests: readonly ConnectRequest[];
  /** Connections from clients, all that there ever were. */
  readonly sockets: readonly Socket[];
  close(): Promise<void>;
}

const proxies: Proxy[] = [];

/** Starts a proxy on a free port; it is closed after the test. */
export async function startProxy(options: ProxyOptions = {}): Promise<Proxy> {
  const requests: ConnectRequest[] = [];
  const sockets: Socket[] = [];
  const opened = new Set<Socket>();
  const accept = (socket: Socket): void => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    let text = '';
    const onData = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end === -1) return;
      socket.off('data', onData);
      const request = requestOf(text.slice(0, end));
      const index = requests.push(request) - 1;
      const response = options.response?.(request, index);
      if (typeof response === 'string') socket.end(response, 'latin1');
      else if (response) response(socket);
      else opened.add(tunnel(socket, request.authority, options.accepts));
    };
    socket.on('data', onData);
  };
  const server = options.tls ? createTlsServer(options.tls, accept) : createServer(accept);
  server.on('tlsClientError', () => undefined);
  server.on('connection', (socket: Socket) => opened.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const started: Proxy = {
    url: `${options.tls ? 'https://localhost' : 'http://127.0.0.1'}:${port}`,
    requests,
    sockets,
    close: () => {
      for (const socket of opened) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  proxies.push(started);
  return started;
}

afterEachTest(async () => {
  await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
});

/** Of a host that only a proxy knows, at the port of a server of this machine. */
export function behindProxy(url: string, host = 'hook.example.test'): string {
  const changed = new URL(url);
  changed.hostname = host;
  return changed.href;
}

/** Returns the connection to the server. */
function tunnel(
  client: Socket,
  authority: string,
  accepts = 'HTTP/1.1 200 Connection established\r\n\r\n',
): Socket {
  const port = Number(authority.slice(authority.lastIndexOf(':') + 1));
  const server = connect({ host: '127.0.0.1', port }, () => {
    client.write(accepts, 'latin1');
    client.pipe(server).pipe(client);
  });
  server.on('error', () => client.destroy());
  server.on('close', () => client.destroy());
  client.on('close', () => server.destroy());
  return server;
}

function requestOf(head: string): ConnectRequest {
  const [first = '', ...lines] = head.split('\r\n');
  const authorization = lines.find((line) => /^proxy-authorization:/i.test(line));
  return {
    authority: first.split(' ')[1] ?? '',
    authorization: authorization?.slice(authorization.indexOf(':') + 1).trim(),
  };
}
