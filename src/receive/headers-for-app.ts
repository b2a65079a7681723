import { bodilessMethods, headerValues, isHopByHop } from '../http/header-rules.js';

/** What the headers of a forwarded request follow from. */
export interface SenderRequest {
  readonly method: string;
  /** Name, value, name, value, …, as spelled by the sender. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** Absent when the sender has gone. */
  readonly remoteAddress?: string | undefined;
  readonly isTls?: boolean | undefined;
}

/**
 * The headers for the app, name, value, …: those of the sender in their order and spelling, without the
 * hop-by-hop ones, with `host` as Host, a length, and the X-Forwarded headers.
 */
export function headersForApp(request: SenderRequest, host: string): string[] {
  const kept = keptHeaders(request, host);
  if (headerValues(kept, 'host').length === 0) kept.unshift('Host', host);
  if (needsLength(request, kept)) kept.push('Content-Length', String(request.body.length));
  addForwardedFor(kept, request.remoteAddress);
  addForwardedHost(kept, request.headers);
  addUnlessThere(kept, 'X-Forwarded-Proto', request.isTls ? 'https' : 'http');
  return kept;
}

function keptHeaders({ headers, body }: SenderRequest, host: string): string[] {
  const kept: string[] = [];
  let hasHost = false;
  for (let i = 0; i < headers.length; i += 2) {
    const [name, value] = [headers[i]!, headers[i + 1]!];
    const lower = name.toLowerCase();
    if (lower === 'host') {
      if (!hasHost) kept.push(name, host);
      hasHost = true;
    } else if (lower === 'content-length') {
      if (value === String(body.length)) kept.push(name, value);
    } else if (!isHopByHop(name, headers)) kept.push(name, value);
  }
  return kept;
}

function needsLength({ method, body }: SenderRequest, kept: readonly string[]): boolean {
  if (headerValues(kept, 'content-length').length > 0) return false;
  return body.length > 0 || !bodilessMethods.has(method);
}

/** Extends the last one; earlier ones belong to the same list. */
function addForwardedFor(kept: string[], remoteAddress: string | undefined): void {
  if (remoteAddress === undefined) return;
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/i, '');
  const last = lastIndexOf(kept, 'x-forwarded-for');
  if (last === -1) kept.push('X-Forwarded-For', address);
  else kept[last + 1] = kept[last + 1] === '' ? address : `${kept[last + 1]!}, ${address}`;
}

function lastIndexOf(headers: readonly string[], name: string): number {
  for (let i = headers.length - 2; i >= 0; i -= 2) {
    if (headers[i]!.toLowerCase() === name) return i;
  }
  return -1;
}

function addForwardedHost(kept: string[], headers: readonly string[]): void {
  const [asked = ''] = headerValues(headers, 'host');
  if (asked !== '') addUnlessThere(kept, 'X-Forwarded-Host', asked);
}

function addUnlessThere(kept: string[], name: string, value: string): void {
  if (headerValues(kept, name.toLowerCase()).length === 0) kept.push(name, value);
}
