import type { Dispatcher } from 'undici';
import type { AddressGuard } from '../net/private-networks.js';
import { version } from '../version.js';
import { proxyInUse } from './open-connector.js';
import { tunnelsThrough } from './proxy/proxy-url.js';
import { secureContext } from './tls.js';
import { hostOf } from './url.js';

export interface PostFormOptions {
  /** PEM texts of certificates to trust beside those of Node. */
  readonly ca?: readonly string[] | undefined;
  /** Which addresses may be connected to; behind a proxy, which hosts. Default: all. */
  readonly guard?: AddressGuard | undefined;
  /** URL of an HTTP proxy. Default: none. */
  readonly proxy?: string | undefined;
}

export interface FormResponse {
  readonly status: number;
  /** Undefined if it is longer than 64 KiB. */
  readonly text: string | undefined;
}

/** From the start to the end of the response. */
const limitMs = 10_000;
const maxBytes = 64 * 1024;

/**
 * POSTs a form; redirects are not followed.
 *
 * @throws an error with a code of Node or undici, or a `TimeoutError` after 10 s
 */
export async function postForm(
  url: string,
  headers: Readonly<Record<string, string>>,
  form: string,
  options: PostFormOptions,
): Promise<FormResponse> {
  const target = new URL(url);
  const refusal = options.guard?.refusal(hostOf(target));
  if (refusal) throw refusal;
  const dispatcher = await dispatcherFor(target, options);
  const signal = AbortSignal.timeout(limitMs);
  try {
    const { statusCode, body } = await dispatcher.request({
      ...{ origin: target.origin, path: target.pathname + target.search, method: 'POST', signal },
      headers: { 'User-Agent': `evfwd/${version}`, ...headers },
      body: form,
    });
    return { status: statusCode, text: await textOf(body) };
  } catch (error) {
    throw signal.aborted ? (signal.reason as Error) : error;
  } finally {
    // One request an hour needs no connection that stays open.
    void dispatcher.destroy().catch(() => undefined);
  }
}

async function dispatcherFor(
  target: URL,
  { ca = [], guard, proxy: given }: PostFormOptions,
): Promise<Dispatcher> {
  const { Agent, ProxyAgent } = await import('undici');
  const tls = { rejectUnauthorized: true, secureContext: secureContext({ ca }) };
  const proxy = proxyInUse(target, given);
  if (proxy === undefined)
    return new Agent({ connect: { ...tls, ...(guard && { lookup: guard.lookup }) } });
  return new ProxyAgent(tunnelsThrough(proxy, tls));
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
