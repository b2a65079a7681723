import { randomUUID } from 'node:crypto';
import { UsageError } from '../errors.js';
import { checkOptions, optionRules, type OptionRules } from '../option-rules.js';
import { isBytes, listOfSecrets } from './given-secrets.js';
import { requestSigner } from './request-signer.js';
import { requestVerifier } from './request-verifier.js';
import { schemeNamed } from './schemes/index.js';
import type { VerifyReason } from './verify-reason.js';
import type { Bytes } from './x-signature.js';

/** What `signRequest` signs, and how. */
export interface SignRequestOptions {
  /** The name of a preset. Default `x-signature`. */
  scheme?: string;
  /** The shared secret in the form of the scheme; several, newest first, for a rotation. */
  secret: Bytes | readonly Bytes[];
  /** As it is sent; a string is UTF-8. */
  body: Bytes;
  /** Where the scheme sends one. Default: a random one that begins with `msg_`. */
  id?: string;
  /** Milliseconds since 1970, or a Date. Default: now. */
  timestamp?: number | Date;
  /** The whole URL, which `twilio` signs: as it is for a form, else with `bodySHA256` in its query. */
  url?: string;
  /** That the request is sent with; it tells `twilio` whether the body is a form. Default: it is none. */
  contentType?: string;
}

/**
 * The headers that a signature scheme sends with a body.
 *
 * @returns the headers by name, that of the signature first
 * @throws UsageError for an unknown scheme or option, a secret that is not in the form of the scheme, a
 *   second one where the scheme carries one signature, and a time in seconds
 * @example
 * import { signRequest } from 'evfwd/sign';
 *
 * const body = JSON.stringify({ type: 'invoice.paid' });
 * const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
 * const headers = signRequest({ scheme: 'standard-webhooks', secret, body, id: 'msg_1' });
 * await fetch('http://localhost:3000/hook', { method: 'POST', body, headers });
 */
export function signRequest(options: SignRequestOptions): Record<string, string> {
  checkOptions(options, signOptions);
  const { scheme: name = 'x-signature', secret, body, id = randomId(), timestamp } = options;
  const { url, contentType } = options;
  const scheme = schemeNamed(name, [], 'signRequest');
  if (scheme.special === 'twilio' && url === undefined) {
    throw new UsageError('signRequest: twilio signs the URL; pass it as url', 'no_url');
  }
  const signer = requestSigner({ scheme, secrets: listOf(secret) }, 'signRequest');
  const { headers } = signer.sign({
    body: bytesOf(body),
    id,
    nowMs: millisecondsOf(timestamp, 'timestamp'),
    method: 'POST',
    url: url ?? '',
    contentType,
  });
  return Object.fromEntries(headers);
}

/** An option with a check of its own, which says more. */
const any = { accepts: () => true, form: 'anything' };
const { text } = optionRules;

const signOptions: OptionRules<SignRequestOptions> = {
  scheme: { ...text, form: 'the name of a preset' },
  secret: any,
  body: any,
  id: text,
  timestamp: any,
  url: text,
  contentType: text,
};

/** Headers as frameworks have them: a plain object, a `Headers`, or pairs of names and values. */
export type ReceivedHeaderFields =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | Iterable<readonly [string, string]>;

/** A request as it was received, and what to judge it by. */
export interface VerifyRequestOptions {
  /** The name of a preset, which a receiver should give; `auto`, the default, chooses by the headers. */
  scheme?: string;
  /** The shared secret in the form of the scheme; of several any may fit. */
  secret: Bytes | readonly Bytes[];
  /** A plain object, a `Headers`, or pairs of names and values. */
  headers: ReceivedHeaderFields;
  /** As it was received; a string is UTF-8. */
  body: Bytes;
  /** The whole URL as the sender knows it; only `twilio` needs it. */
  url?: string;
  /** As of when it is judged: milliseconds since 1970, or a Date. Default: now. */
  now?: number | Date;
  /** Milliseconds, in place of those of the scheme; null: the time is not judged. */
  toleranceMs?: number | null;
}

/** What `verifyRequest` says. */
export interface RequestVerification {
  readonly valid: boolean;
  /** By which scheme it was judged; null if `auto` found no signature. */
  readonly scheme: string | null;
  /** Absent when valid, as is `hint`. */
  readonly reason?: VerifyReason;
  /** One sentence: what is wrong, and what to do. Contains neither signature nor secret. */
  readonly hint?: string;
}

/**
 * Judges the signature of a received request, in constant time. Never throws for what was received.
 *
 * Pass the body as received, before anything parses it. Pairs show a header that came twice; an object
 * as Node makes it has both in one value, which is not valid either.
 *
 * @throws UsageError for an unknown scheme or option, a secret that is not in the form of the scheme, a
 *   time in seconds, and a body that is neither a string nor a Uint8Array
 * @example
 * import { createServer } from 'node:http';
 * import { buffer } from 'node:stream/consumers';
 * import { verifyRequest } from 'evfwd/sign';
 *
 * const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
 * createServer(async (request, response) => {
 *   const body = await buffer(request);
 *   const { headers } = request;
 *   const { valid, hint } = verifyRequest({ scheme: 'standard-webhooks', secret, headers, body });
 *   response.writeHead(valid ? 200 : 401).end(hint);
 * });
 */
export function verifyRequest(options: VerifyRequestOptions): RequestVerification {
  checkOptions(options, verifyOptions);
  const { scheme: name = 'auto', secret, headers, body, url, now, toleranceMs } = options;
  const verifier = requestVerifier({
    scheme: name === 'auto' ? name : schemeNamed(name, [], 'verifyRequest'),
    secrets: listOf(secret),
    toleranceMs,
  });
  const request = { headers: headerList(headers), body: bytesOf(body), url };
  const verdict = verifier.verify(request, millisecondsOf(now, 'now'));
  const { valid, scheme, reason, hint } = verdict;
  if (reason === undefined || hint === undefined) return { valid, scheme };
  return { valid, scheme, reason, hint };
}

const verifyOptions: OptionRules<VerifyRequestOptions> = {
  scheme: { ...text, form: 'the name of a preset, or auto' },
  secret: any,
  headers: any,
  body: any,
  url: text,
  now: any,
  toleranceMs: {
    accepts: (value) => value === null || (typeof value === 'number' && value >= 0),
    form: '0 or more, or null to accept any time',
  },
};

function listOf(secret: Bytes | readonly Bytes[]): readonly Bytes[] {
  const secrets = listOfSecrets(secret);
  if (secrets.every((one) => isBytes(one))) return secrets;
  throw new UsageError(
    'the secret is neither a string nor bytes; pass the shared secret',
    'not_bytes',
  );
}

function bytesOf(body: Bytes): Uint8Array {
  if (typeof body === 'string') return Buffer.from(body);
  if (isBytes(body)) return body;
  throw new UsageError(
    'the body is neither a string nor bytes; pass it as received, before it is parsed',
    'not_bytes',
  );
}

function randomId(): string {
  return `msg_${randomUUID().replaceAll('-', '')}`;
}

/**
 * Name, value, name, value, …; a list of values is as many headers.
 * @throws UsageError for what has no headers in it
 */
function headerList(headers: ReceivedHeaderFields): string[] {
  if (!isObject(headers)) throw notHeaders();
  const pairs = isIterable(headers) ? [...headers] : Object.entries(headers);
  return pairs.flatMap((pair: unknown) => {
    if (!Array.isArray(pair)) throw notHeaders();
    const [name, value] = pair as [unknown, unknown];
    const values: unknown[] = Array.isArray(value) ? value : [value];
    return values.flatMap((one) =>
      typeof name === 'string' && typeof one === 'string' ? [name, one] : [],
    );
  });
}

/** JavaScript callers may pass anything. */
function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function isIterable(headers: object): headers is Iterable<readonly [string, string]> {
  return Symbol.iterator in headers;
}

function notHeaders(): UsageError {
  return new UsageError(
    'headers must be an object, a Headers, or pairs of names and values; pass those of the request',
    'bad_headers',
  );
}

/** An earlier number of milliseconds, before March 1973, is one of seconds by mistake. */
const earliest = 1e11;

/**
 * A time of a caller in milliseconds since 1970; now without one.
 * @throws UsageError for a number of seconds, and for what is not a time
 */
function millisecondsOf(time: number | Date | undefined, option: string): number {
  if (time === undefined) return Date.now();
  const ms = time instanceof Date ? time.getTime() : time;
  if (typeof ms !== 'number' || Number.isNaN(new Date(ms).getTime())) {
    throw new UsageError(`${option} must be milliseconds since 1970, or a valid Date`, 'bad_time');
  }
  if (!(time instanceof Date) && ms < earliest) {
    throw new UsageError(
      `${option} must be milliseconds since 1970; this number is too small, so multiply seconds by 1000`,
      'bad_time',
    );
  }
  return ms;
}
