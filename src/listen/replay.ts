import { systemClock } from '../clock.js';
import { EndpointQueue } from '../delivery/endpoint-queue.js';
import type { AttemptResult, ResponseExcerpt } from '../delivery/outcome.js';
import type { OwnRequest } from '../delivery/own-request.js';
import { querySecrets, redactionOf } from '../delivery/redaction.js';
import { responseExcerpt } from '../delivery/response-excerpt.js';
import { defaults } from '../defaults.js';
import { toMicroseconds } from '../duration.js';
import { maxExcerptBytes } from '../http/body-excerpt.js';
import {
  contentTypeOf,
  headerValues,
  isHopByHop,
  isHeaderName,
  isHeaderValue,
} from '../http/header-rules.js';
import { RequestHeaders } from '../http/request-headers.js';
import { UsageError } from '../errors.js';
import type { ReplayRequest, ReplayResult, EditedRequest } from '../api/listen.js';
import { version } from '../version.js';
import type { ReceivedRequest } from './received-request.js';
import { signAgain } from './sign-again.js';
import type { Verification } from '../receive/verification.js';
import { printable } from '../output/printable.js';

export interface ReplayOptions {
  readonly find: (id: string) => ReceivedRequest | undefined;
  /** Its secrets sign what is signed again. */
  readonly verification: Verification;
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
 * @throws UsageError for edits of several requests, and for headers that HTTP cannot carry
 */
export async function replay(
  { ids, url, signature, edited }: ReplayRequest,
  { find, verification, signal }: ReplayOptions,
): Promise<ReplayResult> {
  if (edited && ids.length !== 1) throw new UsageError('edited: only one request can be edited');
  // Found first: replayed requests may arrive at this receiver again and displace the oldest ones.
  const chosen = ids.map((id) => [id, found(id)] as const);
  const results: Result[] = [];
  for (const [id, received] of chosen) {
    if (signal.aborted) break;
    const isWhole = received !== undefined && !received.isTooLarge;
    results.push(isWhole ? await post(received, prepared(received)) : notKept(id));
  }
  return { results };

  function found(id: string): ReceivedRequest | undefined {
    const received = find(id);
    return received && edited ? editedRequest(received, edited) : received;
  }

  function prepared(received: ReceivedRequest): Prepared {
    const isAgain = signature === 'again';
    const isOurs = isAgain && !edited && isOurScheme(received.scheme);
    const kept = isOurs ? ownHeaders(received) : capturedHeaders(received);
    const to = { url, contentType: contentTypeOf(kept) };
    const signed = isAgain ? signAgain(received, verification, to) : undefined;
    const others = without(kept, signed?.replaced ?? new Set());
    return { url: signed?.url ?? url, headers: [...others, ...(signed?.headers.flat() ?? [])] };
  }

  async function post({ id, body }: ReceivedRequest, to: Prepared): Promise<Result> {
    const { status, error, durationMs, response } = await postOnce(to, body, verification);
    const result = { id, status, error, durationMs: toMicroseconds(durationMs) };
    return response ? { ...result, response } : result;
  }
}

/** Where a request goes, and with which headers: name, value, name, value, … */
interface Prepared {
  readonly url: string;
  readonly headers: string[];
}

/** Requests of evfwd have the headers that evfwd sends; those of other senders need their own. */
function isOurScheme(scheme: string | null): boolean {
  return scheme === null || scheme === 'x-signature';
}

/** A new queue for each request: a response (410, a pause) must not affect the next ones. */
async function postOnce(
  { url, headers }: Prepared,
  body: Buffer,
  { secrets }: Verification,
): Promise<AttemptResult> {
  const target = new URL(url);
  const echoed = querySecrets(target);
  const queue = new EndpointQueue({
    url,
    concurrency: 1,
    timeoutMs: defaults.timeoutMs,
    tls: { rejectUnauthorized: true },
    secrets,
    clock: systemClock,
    retryWindowMs: 0,
  });
  let said: ResponseExcerpt | undefined;
  const own: OwnRequest = {
    url: target.origin + target.pathname,
    reading: { keptBytes: maxExcerptBytes },
    headers: () => new RequestHeaders(target, headers),
    verdictOfBody: (received) => {
      said = responseExcerpt(received, redactionOf([...secrets, ...echoed]));
      return 'delivered';
    },
    secrets: () => echoed,
  };
  const request = { body, headers, own, attempt: 1, isWanted: () => true, begin: () => true };
  try {
    const result = await new Promise<AttemptResult>((done) => queue.post({ ...request, done }));
    return said ? { ...result, response: said } : result;
  } finally {
    await queue.close();
  }
}

function notKept(id: string): Result {
  return { id, status: null, error: 'not_kept', durationMs: 0 };
}

/** The headers that evfwd sends; of the captured ones, only those that describe the body. */
function ownHeaders({ headers }: ReceivedRequest): string[] {
  const [type = 'application/json'] = headerValues(headers, 'content-type');
  const [encoding] = headerValues(headers, 'content-encoding');
  return [
    ...['User-Agent', `evfwd/${version}`, 'Content-Type', type],
    ...(encoding === undefined ? [] : ['Content-Encoding', encoding]),
  ];
}

function without(headers: readonly string[], names: ReadonlySet<string>): string[] {
  const kept: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    if (!names.has(headers[i]!.toLowerCase())) kept.push(headers[i]!, headers[i + 1]!);
  }
  return kept;
}

function capturedHeaders({ headers }: ReceivedRequest): string[] {
  const kept: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    if (!isHopByHop(headers[i]!, headers)) kept.push(headers[i]!, headers[i + 1]!);
  }
  return kept;
}

/**
 * A request with other headers and another body.
 *
 * @throws UsageError for a header that HTTP cannot carry
 */
function editedRequest(received: ReceivedRequest, edited: EditedRequest): ReceivedRequest {
  for (const [name, value] of edited.headers) checkHeader(name, value);
  const body =
    edited.bodyBase64 === undefined
      ? Buffer.from(edited.body ?? '')
      : Buffer.from(edited.bodyBase64, 'base64');
  return { ...received, headers: edited.headers.flat(), body, isTooLarge: false };
}

function checkHeader(name: string, value: string): void {
  if (!isHeaderName(name)) {
    throw new UsageError(`headers: ${JSON.stringify(printable(name))} is not a valid header name`);
  }
  if (!isHeaderValue(value)) {
    throw new UsageError(`headers: the value of ${name} has a character that HTTP cannot carry`);
  }
}
