import { EventEmitter } from 'node:events';
import { isIP, type Socket } from 'node:net';
import type { Network } from '../../src/http/network.js';
import type { ProcessClock } from './clock.js';
import type { Mode } from './plan.js';

/** A request that an endpoint has received completely. */
export interface ReceivedRequest {
  readonly head: string;
  readonly body: string;
}

/** What an endpoint does with a request: the bytes of its response, if any, and when they arrive. */
export interface Reply {
  readonly afterMs: number;
  /** Undefined: the connection is reset. */
  readonly bytes: string | undefined;
  /** Called when the client has read the bytes. */
  readonly onRead?: () => void;
}

/** An endpoint as the network sees it. */
export interface SimulatedEndpoint {
  /** What it does now. */
  readonly mode: Mode;
  /** Undefined: it never responds. */
  receive(request: ReceivedRequest): Reply | undefined;
}

/** How long a packet takes. */
const travelMs = 1;
const dnsMs = 2;
/** The network keeps no process alive. */
const background = { keepsAlive: false };
const address = '93.184.216.34';
const wrongAddress = '0.0.0.0';

/** The network of one process: endpoints by their host names. */
export function simulatedNetwork(
  clock: ProcessClock,
  endpointOf: (host: string) => SimulatedEndpoint | undefined,
): Network {
  const open = (options: unknown): Socket =>
    new SimulatedSocket(clock, endpointOf, options as SocketOptions) as unknown as Socket;
  return {
    openTcp: open,
    openTls: open,
    resolve: (host, _options, callback) => {
      const mode = endpointOf(host)?.mode.kind;
      const found = (): void => {
        if (mode === undefined || mode === 'no-name') callback(failure('ENOTFOUND'));
        else callback(null, [{ address: mode === 'lied-to' ? wrongAddress : address, family: 4 }]);
      };
      clock.after(dnsMs, found, background);
    },
  };
}

/** The options that `Connector` passes to `net` and `tls`. */
interface SocketOptions {
  readonly host: string;
  readonly lookup: (
    host: string,
    options: { all: true },
    callback: (error: Error | null) => void,
  ) => void;
  readonly onread: { readonly buffer: Buffer; callback(length: number): boolean };
  readonly rejectUnauthorized?: boolean;
}

/** The part of a socket that `Connection` uses. */
class SimulatedSocket extends EventEmitter {
  readonly #after: (ms: number, callback: () => void) => void;
  readonly #options: SocketOptions;
  readonly #endpoint: SimulatedEndpoint | undefined;
  #received = '';
  #isClosed = false;

  constructor(
    clock: ProcessClock,
    endpointOf: (host: string) => SimulatedEndpoint | undefined,
    options: SocketOptions,
  ) {
    super();
    this.#after = (ms, callback) => void clock.after(ms, callback, background);
    this.#options = options;
    this.#endpoint = endpointOf(options.host);
    if (isIP(options.host) !== 0) this.#connect();
    else {
      options.lookup(options.host, { all: true }, (error) => {
        if (error) this.destroy(error);
        else this.#connect();
      });
    }
  }

  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  cork(): void {
    // All parts of a request are collected anyway.
  }

  uncork(): void {
    // As above.
  }

  write(data: string | Buffer, ...rest: unknown[]): boolean {
    if (this.#isClosed) return false;
    const written = rest.find((part) => typeof part === 'function') as (() => void) | undefined;
    this.#received += typeof data === 'string' ? data : data.toString('latin1');
    this.#after(0, () => written?.());
    this.#after(travelMs, () => this.#serve());
    return true;
  }

  destroy(error?: Error): this {
    if (this.#isClosed) return this;
    this.#isClosed = true;
    this.#after(0, () => {
      if (error) this.emit('error', error);
      this.emit('close');
    });
    return this;
  }

  #connect(): void {
    const { kind } = this.#endpoint?.mode ?? { kind: 'refusing' };
    this.#after(2 * travelMs, () => {
      if (this.#isClosed) return;
      if (kind === 'refusing') this.destroy(failure('ECONNREFUSED'));
      else if (kind === 'untrusted' && this.#options.rejectUnauthorized) {
        this.destroy(failure('CERT_HAS_EXPIRED'));
      } else this.emit(this.#options.rejectUnauthorized ? 'secureConnect' : 'connect');
    });
  }

  /** Takes a complete request off what was received. */
  #serve(): void {
    if (this.#isClosed) return;
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = this.#received.slice(0, end);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#received.length < end + 4 + length) return;
    const body = Buffer.from(this.#received.slice(end + 4, end + 4 + length), 'latin1').toString();
    this.#received = this.#received.slice(end + 4 + length);
    const reply = this.#endpoint?.receive({ head, body });
    if (!reply) return;
    this.#after(reply.afterMs + travelMs, () => {
      if (this.#isClosed) return;
      if (reply.bytes === undefined) this.destroy(failure('ECONNRESET'));
      else {
        reply.onRead?.();
        this.#read(reply.bytes);
      }
    });
  }

  #read(text: string): void {
    const { onread } = this.#options;
    const { buffer } = onread;
    const bytes = Buffer.from(text, 'latin1');
    for (let at = 0; at < bytes.length && !this.#isClosed; at += buffer.length - 1) {
      onread.callback(bytes.copy(buffer, 0, at, at + buffer.length - 1));
    }
  }
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code, syscall: 'connect' });
}
