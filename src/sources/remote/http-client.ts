import type { Dispatcher } from 'undici';
import type { Clock } from '../../clock.js';
import { isCertificateError } from '../../http/certificate-errors.js';
import { proxyInUse } from '../../http/open-connector.js';
import { notConnected, ProxyError, proxyFailure } from '../../http/proxy/proxy-error.js';
import { shownProxy, tunnelsThrough } from '../../http/proxy/proxy-url.js';
import { secureContext } from '../../http/tls.js';
import { version } from '../../version.js';
import { RetryableError } from './retries.js';

/** A server that sends nothing for this time is asked again. */
const stallMs = 30_000;

export type Headers = readonly (readonly [name: string, value: string])[];

export interface HttpResponse {
  readonly status: number;
  header(name: string): string | undefined;
  /** The bytes as they are sent, whatever Content-Encoding says; at most once. */
  readonly body: AsyncIterable<Buffer>;
  /** The first bytes of the body, and nothing of it after. */
  text(maxBytes: number): Promise<string>;
  /** Ends it without reading it; the connection is kept where little is left. */
  discard(): void;
}

/** The certificate of the server is not trusted. */
export class UntrustedServerError extends Error {}

/** What the server sends is not HTTP. */
export class NotHttpError extends Error {}

export interface HttpClientOptions {
  /** PEM text of certificates to trust beside those that Node trusts. */
  readonly ca?: string | undefined;
  /** The HTTP proxy of a URL, see `checkProxyUrl`. Default: none. */
  readonly proxyOf?: ProxyOf | undefined;
  readonly clock: Clock;
}

export type ProxyOf = (url: string) => string | undefined;

/** Sends GET requests; connections are shared by all clients with the same certificates. */
export class HttpClient {
  readonly #ca: string | undefined;
  readonly #proxyOf: ProxyOf | undefined;
  readonly #clock: Clock;

  constructor({ ca, proxyOf, clock }: HttpClientOptions) {
    this.#ca = ca;
    this.#proxyOf = proxyOf;
    this.#clock = clock;
  }

  /**
   * One request, without redirects.
   *
   * @throws RetryableError, UntrustedServerError, NotHttpError, or the reason of the signal
   */
  async get(url: URL, headers: Headers, signal?: AbortSignal): Promise<HttpResponse> {
    const proxy = proxyInUse(url, this.#proxyOf?.(url.href));
    const dispatcher = await agentFor(this.#ca, proxy);
    const watch = new Watch(this.#clock, signal);
    try {
      const response = await watch.limit(
        dispatcher.request({
          origin: url.origin,
          path: url.pathname + url.search,
          method: 'GET',
          headers: [...ownHeaders, ...headers].flat(),
          signal: watch.signal,
          headersTimeout: 0,
          bodyTimeout: 0,
        }),
      );
      return responseOf(response, watch);
    } catch (error) {
      watch.end();
      throw proxy === undefined ? error : problemOfProxy(error, shownProxy(proxy), url.host);
    }
  }
}

const ownHeaders: Headers = [
  ['User-Agent', `evfwd/${version}`],
  ['Accept', '*/*'],
  // Offsets count the bytes as they are stored.
  ['Accept-Encoding', 'identity'],
];

/** By proxy and PEM text: all of one process use one or two. */
const agents = new Map<string, Dispatcher>();

async function agentFor(ca = '', proxy = ''): Promise<Dispatcher> {
  const { Agent, ProxyAgent } = await import('undici');
  const key = `${proxy} ${ca}`;
  const known = agents.get(key);
  if (known) return known;
  const connect = {
    rejectUnauthorized: true,
    secureContext: secureContext({ ca: ca === '' ? [] : [ca] }),
    timeout: stallMs,
  };
  const agent =
    proxy === '' ? new Agent({ connect }) : new ProxyAgent(tunnelsThrough(proxy, connect));
  agents.set(key, agent);
  return agent;
}

function responseOf(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  watch: Watch,
): HttpResponse {
  // A body that is ended early says so to nobody.
  body.on('error', () => undefined);
  const chunks = chunksOf(body, watch);
  return {
    status: statusCode,
    header: (name) => [headers[name] ?? []].flat()[0],
    body: chunks,
    text: async (maxBytes) => {
      const all: Buffer[] = [];
      let length = 0;
      for await (const chunk of chunks) {
        all.push(chunk);
        if ((length += chunk.length) >= maxBytes) break;
      }
      return Buffer.concat(all).toString('utf8', 0, Math.min(length, maxBytes));
    },
    discard: () => {
      const dumped = watch.limit(body.dump({ limit: smallBytes }));
      dumped.catch(() => undefined).finally(() => watch.end());
    },
  };
}

/** Reading this much costs less than a new connection. */
const smallBytes = 64 * 1024;

type Body = Dispatcher.ResponseData['body'];

async function* chunksOf(body: Body, watch: Watch): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  try {
    for (;;) {
      const next = await watch.limit(chunks.next());
      if (next.done) return;
      yield next.value;
    }
  } catch (error) {
    // The response has begun as HTTP: a connection that ends in the middle may look like this.
    throw error instanceof NotHttpError ? new RetryableError('the answer was cut off') : error;
  } finally {
    watch.end();
    body.destroy();
  }
}

/** Ends a request when the signal is aborted, or the server is silent for too long while it is waited for. */
class Watch {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #outer: AbortSignal | undefined;
  #isSilent = false;

  constructor(clock: Clock, outer: AbortSignal | undefined) {
    this.#clock = clock;
    this.#outer = outer;
    outer?.throwIfAborted();
    outer?.addEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => this.#controller.abort();

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Waits for the server; what fails is told as the reason. */
  async limit<T>(step: Promise<T>): Promise<T> {
    const stop = this.#clock.after(stallMs, () => this.#stall(), { keepsAlive: false });
    try {
      return await step;
    } catch (error) {
      this.#outer?.throwIfAborted();
      throw this.#isSilent ? silent() : problemOf(error);
    } finally {
      stop();
    }
  }

  #stall(): void {
    this.#isSilent = true;
    this.#controller.abort();
  }

  end(): void {
    this.#outer?.removeEventListener('abort', this.#abort);
  }
}

function silent(): RetryableError {
  return new RetryableError(`the server sent nothing for ${stallMs / 1000} seconds`, {
    code: 'ETIMEDOUT',
  });
}

function problemOf(cause: unknown): Error {
  const { code = '', name } = cause as NodeJS.ErrnoException;
  if (isCertificateError(cause)) return new UntrustedServerError(code, { cause });
  if (name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW')
    return new NotHttpError('the answer is not HTTP', { cause });
  const reason = reasons.get(code) ?? `the connection failed${code && ` (${code})`}`;
  return new RetryableError(reason, { code, cause });
}

/** The error, in the words of the proxy where that has failed. @param proxy for display */
function problemOfProxy(error: unknown, proxy: string, host: string): unknown {
  if (!(error instanceof RetryableError) || !(error.cause instanceof Error)) return error;
  const { message, syscall = '' } = error.cause as NodeJS.ErrnoException;
  const digits = /^Proxy response \((\d+)\)/.exec(message)?.[1];
  if (digits !== undefined) {
    const status = Number(digits);
    const cause = notConnected(status, proxy, host);
    return new RetryableError(cause.message, { ...(status < 500 && { code: deniedCode }), cause });
  }
  // What is closed later may be the server's.
  const isEarly = syscall === 'connect' || syscall === 'getaddrinfo';
  const cause = isEarly ? proxyFailure(error.cause, proxy) : undefined;
  if (!(cause instanceof ProxyError)) return error;
  return new RetryableError(cause.message, { code: error.code ?? '', cause });
}

/** The code of the error when a proxy makes no tunnel, and a later attempt will be of no help. */
export const deniedCode = 'EVFWD_PROXY_DENIED';

const reasons = new Map([
  ['ENOTFOUND', 'the host is not known'],
  ['EAI_AGAIN', 'the name of the host could not be looked up'],
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', 'the connection was reset'],
  ['UND_ERR_SOCKET', 'the connection was closed'],
  ['UND_ERR_CONNECT_TIMEOUT', 'the connection could not be made in time'],
]);
