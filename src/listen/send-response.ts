import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { systemClock } from '../clock.js';
import { endInOneWrite } from '../web/end-in-one-write.js';
import { responseBody, type PlannedResponse, type ResponseContent } from './planned-response.js';

/** Sends the planned response, unless the client has closed the connection. */
export function sendResponse(
  request: IncomingMessage,
  response: ServerResponse,
  planned: PlannedResponse,
): void {
  if (planned.delayMs > 0)
    after(planned.delayMs, response, () => begin(request, response, planned));
  else begin(request, response, planned);
}

function begin(request: IncomingMessage, response: ServerResponse, planned: PlannedResponse): void {
  const { status, kind, slowMs } = planned;
  if (kind === 'hang') return;
  if (status === null) {
    request.socket.resetAndDestroy();
    return;
  }
  const { fields, body } = composed(request, planned);
  response.shouldKeepAlive &&= kind !== 'early';
  response.writeHead(status, fields);
  if (kind === 'early') endLater(request, response, body);
  else if (slowMs > 0) drip(request, response, body, planned);
  else if (kind === 'truncate') cut(request, response, body.subarray(0, body.length >> 1));
  else endInOneWrite(response, body);
}

interface Composed {
  /** Name, value, name, value, … */
  readonly fields: string[];
  readonly body: Buffer;
}

/** The default responses, which depend on the status alone, by status. */
const defaults = new Map<number, Composed>();

function composed(request: IncomingMessage, planned: PlannedResponse): Composed {
  const { status, content } = planned;
  const isDefault = !content && request.headers.origin === undefined && request.method !== 'HEAD';
  const known = isDefault ? defaults.get(status!) : undefined;
  if (known) return known;
  const { headers, body } = composeResponse(request, planned);
  const made = { fields: headers.flat(), body };
  if (isDefault) defaults.set(status!, made);
  return made;
}

/** The parts of a request that its response depends on; names of headers are in lower case. */
interface Asked {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

type Headers = (readonly [name: string, value: string])[];

/** The headers and the body of a response that has a status. An app's headers are its own. */
export function composeResponse(
  request: Asked,
  { status, content }: Pick<PlannedResponse, 'status' | 'content'>,
): { readonly headers: Headers; readonly body: Buffer } {
  const { headers, body } = content ?? ownContent(status!);
  const sent = hasBody(request, status!) ? body : Buffer.alloc(0);
  const origin = content?.by === 'forward' ? [] : crossOriginHeaders(request);
  const others = headers.filter(([name]) => name.toLowerCase() !== 'content-length');
  return { headers: [...others, ...lengthOf(request, status!, sent), ...origin], body: sent };
}

function ownContent(status: number): Pick<ResponseContent, 'headers' | 'body'> {
  if (!mayHaveBody(status)) return { headers: [], body: Buffer.alloc(0) };
  const headers = [['Content-Type', 'application/json'] as const];
  return { headers, body: Buffer.from(responseBody(status)) };
}

function hasBody({ method }: Asked, status: number): boolean {
  return method !== 'HEAD' && mayHaveBody(status);
}

function mayHaveBody(status: number): boolean {
  return status !== 204 && status !== 304;
}

/** For HEAD the length would be that of the response to a GET, which is not known here. */
function lengthOf(request: Asked, status: number, { length }: Buffer): Headers {
  return hasBody(request, status) ? [['Content-Length', String(length)]] : [];
}

/** Clients in a browser, on pages of any origin, may post here and read the response. */
function crossOriginHeaders({ headers, method }: Asked): Headers {
  const { origin } = headers;
  if (origin === undefined) return [];
  const allowed: Headers = [
    ['Access-Control-Allow-Origin', origin],
    ['Access-Control-Allow-Credentials', 'true'],
    ['Vary', 'Origin'],
  ];
  const asked = headers['access-control-request-method'];
  if (method !== 'OPTIONS' || asked === undefined) return allowed;
  return [
    ...allowed,
    ['Access-Control-Allow-Methods', asked],
    ['Access-Control-Allow-Headers', headers['access-control-request-headers'] ?? '*'],
    ['Access-Control-Max-Age', '600'],
  ];
}

/** How long a sender may continue with a body that is too large, so that it reads the response. */
const lingerMs = 2_000;

/**
 * Responds while the sender may still be sending, and discards its data for a while: closing at once
 * would reset the connection, and the response would be lost.
 */
function endLater(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  response.write(body);
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, lingerMs);
  // A client that asks before sending has sent nothing.
  const isSending = !request.readableEnded && request.headers.expect === undefined;
  if (!isSending || request.destroyed) end();
  else request.once('end', end).once('close', end);
}

/** Closes the connection after this part of the announced body. */
function cut({ socket }: IncomingMessage, response: ServerResponse, part: Buffer): void {
  response.flushHeaders();
  if (part.length > 0) response.write(part);
  socket.destroySoon();
}

/** Sends one byte at a time; with `truncate`, half of them. */
function drip(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  { slowMs, kind }: PlannedResponse,
): void {
  const isCut = kind === 'truncate';
  const bytes = isCut ? body.length >> 1 : body.length;
  response.flushHeaders();
  const next = (at: number): void => {
    if (at < bytes) {
      response.write(body.subarray(at, at + 1));
      after(slowMs, response, () => next(at + 1));
    } else if (isCut) cut(request, response, Buffer.alloc(0));
    else response.end();
  };
  after(slowMs, response, () => next(0));
}

/** Does nothing if the connection ends first. */
function after(ms: number, response: ServerResponse, callback: () => void): void {
  const cancel = systemClock.after(ms, () => {
    response.off('close', cancel);
    callback();
  });
  response.once('close', cancel);
}
