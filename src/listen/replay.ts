import { systemClock } from '../clock.js';
import { EndpointQueue } from '../delivery/endpoint-queue.js';
import type { AttemptResult } from '../delivery/outcome.js';
import { tlsSettings } from '../http/tls.js';
import { defaults } from '../defaults.js';
import { headerValues, isHopByHop } from '../http/header-rules.js';
import type { ReplayRequest, ReplayResult } from '../api/listen.js';
import { signatureHeader } from '../webhook/request.js';
import { version } from '../version.js';
import type { ReceivedRequest } from './received-request.js';

export interface ReplayOptions {
  readonly find: (id: string) => ReceivedRequest | undefined;
  readonly secret: string | Buffer | undefined;
  /** Nothing more is sent once it is aborted. */
  readonly signal: AbortSignal;
}

type Result = ReplayResult['results'][number];

/**
 * Posts requests again, one after the other, each with the body as received. A request that is not
 * kept, or whose body was too large, has the error `not_kept`. As in every delivery, a certificate
 * must be trusted, and a redirect is not followed.
 *
 * @param request whose URL was checked
 */
export async function replay(
  { ids, url, signature }: ReplayRequest,
  { find, secret, signal }: ReplayOptions,
): Promise<ReplayResult> {
  // Found first: replayed requests may arrive at this receiver again and displace the oldest ones.
  const chosen = ids.map((id) => [id, find(id)] as const);
  const results: Result[] = [];
  for (const [id, received] of chosen) {
    if (signal.aborted) break;
    const isWhole = received !== undefined && !received.isTooLarge;
    results.push(isWhole ? await post(received, headersFor(received)) : notKept(id));
  }
  return { results };

  function headersFor(received: ReceivedRequest): string[] {
    return signature === 'again' ? ownHeaders(received, secret) : capturedHeaders(received);
  }

  async function post({ id, body }: ReceivedRequest, headers: string[]): Promise<Result> {
    const { status, error, durationMs } = await postOnce(url, body, headers);
    return { id, status, error, durationMs: Math.round(durationMs * 1000) / 1000 };
  }
}

/** A new queue for each request: a response (410, a pause) must not affect the next ones. */
async function postOnce(url: string, body: Buffer, headers: string[]): Promise<AttemptResult> {
  const queue = new EndpointQueue({
    url,
    concurrency: 1,
    timeoutMs: defaults.timeoutMs,
    tls: tlsSettings(),
    clock: systemClock,
    maxPauseMs: 0,
  });
  try {
    return await new Promise((done) =>
      queue.post({ body, headers, attempt: 1, isWanted: () => true, begin: () => true, done }),
    );
  } finally {
    await queue.close();
  }
}

function notKept(id: string): Result {
  return { id, status: null, error: 'not_kept', durationMs: 0 };
}

/** The headers that evfwd sends; of the captured ones, only those that describe the body. */
function ownHeaders(
  { body, headers }: ReceivedRequest,
  secret: string | Buffer | undefined,
): string[] {
  const [type = 'application/json'] = headerValues(headers, 'content-type');
  const [encoding] = headerValues(headers, 'content-encoding');
  return [
    ...['User-Agent', `evfwd/${version}`, 'Content-Type', type],
    ...(encoding === undefined ? [] : ['Content-Encoding', encoding]),
    ...signatureHeader(body, secret).flat(),
  ];
}

function capturedHeaders({ headers }: ReceivedRequest): string[] {
  const kept: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    if (!isHopByHop(headers[i]!, headers)) kept.push(headers[i]!, headers[i + 1]!);
  }
  return kept;
}
