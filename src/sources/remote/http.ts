import { UsageError } from '../../errors.js';
import type { Clock } from '../../clock.js';
import { isHeaderName, isHeaderValue } from '../../http/header-rules.js';
import { withoutQuery } from '../../http/url.js';
import { HttpClient, type Headers, type HttpResponse, type ProxyOf } from './http-client.js';
import { openObject, type HttpObject } from './remote-object.js';
import type { Transport } from './requester.js';
import type { Retry } from './retries.js';

export interface HttpOptions {
  /** For the origin of the URL only, not for those it redirects to. */
  readonly headers?: Headers | undefined;
  /** PEM text of certificates to trust beside those that Node trusts. */
  readonly ca?: Buffer | string | undefined;
  /** As in `HttpClientOptions`. */
  readonly proxyOf?: ProxyOf | undefined;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

/**
 * The object behind an http or https URL, after a request for its first byte.
 *
 * A response that is compressed though that was not asked for is read as it is. If it is one for a part, the bytes are
 * stored so; a whole one may be compressed while it is sent, so it has no size, and is not continued when it is cut off.
 *
 * @throws UsageError if the URL or its authentication is wrong
 * @throws SourceError if it cannot be reached for ten minutes
 */
export async function openHttp(text: string, options: HttpOptions): Promise<HttpObject> {
  const { headers = [], ca, proxyOf, clock, signal, onRetry } = options;
  checkHeaders(headers);
  const client = new HttpClient({ ca: ca?.toString(), proxyOf, clock });
  const transport = new HttpTransport(parseUrl(text), headers, client);
  return openObject(transport, { clock, onRetry }, signal);
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && isHttp(url)) return url;
  throw new UsageError('a source is not a valid http:// or https:// URL; check its spelling');
}

function isHttp({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}

/** Others would contradict how an object is read. */
const reserved = [
  ...['accept-encoding', 'connection', 'content-length', 'expect', 'host', 'if-match', 'if-range'],
  ...['keep-alive', 'range', 'te', 'transfer-encoding', 'upgrade', 'user-agent'],
];

function checkHeaders(headers: Headers): void {
  for (const [name, value] of headers) {
    if (!isHeaderName(name) || !isHeaderValue(value))
      throw new UsageError("--source-header: not a header; write 'Name: value'");
    if (reserved.includes(name.toLowerCase()))
      throw new UsageError(`--source-header: ${name} is set by evfwd itself; leave it out`);
  }
}

const maxRedirects = 5;
const redirects = [301, 302, 303, 307, 308];

class HttpTransport implements Transport {
  readonly name: string;
  readonly #url: URL;
  readonly #headers: Headers;
  readonly #client: HttpClient;

  constructor(url: URL, headers: Headers, client: HttpClient) {
    this.name = withoutQuery(url);
    this.#url = url;
    this.#headers = [...headers, ...basicHeader(url, headers)];
    this.#client = client;
  }

  async get(headers: Headers, signal: AbortSignal | undefined): Promise<HttpResponse> {
    let url = this.#url;
    for (let followed = 0; ; followed++) {
      const own = url.origin === this.#url.origin ? this.#headers : [];
      const response = await this.#client.get(url, [...own, ...headers], signal);
      const location = redirects.includes(response.status)
        ? response.header('location')
        : undefined;
      if (location === undefined) return response;
      response.discard();
      if (followed === maxRedirects)
        throw this.#refused(`redirects more than ${maxRedirects} times`);
      url = this.#next(url, location);
    }
  }

  #next(url: URL, location: string): URL {
    const next = URL.canParse(location, url.href) ? new URL(location, url.href) : undefined;
    if (!next || !isHttp(next)) throw this.#refused('redirects to what is not an http URL');
    if (url.protocol === 'https:' && next.protocol === 'http:')
      throw this.#refused(`redirects from https to http, to ${withoutQuery(next)}`);
    return next;
  }

  #refused(reason: string): UsageError {
    return new UsageError(`${this.name}: ${reason}; pass the final URL`, 'unreadable_source');
  }

  adviceFor(status: number, code: string | undefined): string {
    if (status === 404 || status === 410) return 'check the URL';
    const isPresigned = [...this.#url.searchParams.keys()].some((name) => signatures.test(name));
    if (isPresigned || code === 'ExpiredToken')
      return 'the presigned URL may have expired; make a new one';
    if (status === 401 || status === 403)
      return "pass its authentication with --source-header 'Authorization: …'";
    return 'check the URL';
  }
}

/** Of Amazon (both versions), Google, and Azure. */
const signatures = /^(?:x-amz-signature|x-goog-signature|signature|sig)$/i;

/** A header of the user goes before what the URL has. */
function basicHeader({ username, password }: URL, headers: Headers): Headers {
  const isGiven = headers.some(([name]) => name.toLowerCase() === 'authorization');
  if (isGiven || (username === '' && password === '')) return [];
  const pair = Buffer.from(`${decoded(username)}:${decoded(password)}`);
  return [['Authorization', `Basic ${pair.toString('base64')}`]];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
