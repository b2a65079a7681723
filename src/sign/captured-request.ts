import { headerValues } from '../http/header-rules.js';
import { text, type CapturedRequest } from './capture-line.js';
import type { RequestToVerify } from './request-verifier.js';

/** A captured request as it was received. */
export function receivedRequest(captured: CapturedRequest): RequestToVerify {
  const { method, target, body } = captured;
  const headers = flatHeaders(captured.headers);
  return {
    headers,
    method,
    url: urlOf(headers, target),
    body: typeof body === 'string' ? Buffer.from(body) : body,
  };
}

function flatHeaders(headers: CapturedRequest['headers']): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.flatMap((one) => [name, text(one)]);
  });
}

/**
 * The URL that the sender called, which a proxy or a tunnel notes in `X-Forwarded-*`. The sender may have
 * set these itself: with a path in one of them, the URL of another request would be judged.
 */
export function urlOf(headers: readonly string[], target: string): string | undefined {
  if (/^https?:\/\//i.test(target)) return target;
  const host = firstOf(headers, 'x-forwarded-host') ?? firstOf(headers, 'host');
  const protocol = firstOf(headers, 'x-forwarded-proto') ?? 'http';
  if (host === undefined || !hostForm.test(host) || !/^https?$/.test(protocol)) return undefined;
  return `${protocol}://${host}${target}`;
}

/** A name or an address, and perhaps a port. */
const hostForm = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** Each proxy adds its own value behind those that are there. */
function firstOf(headers: readonly string[], name: string): string | undefined {
  return headerValues(headers, name)[0]?.split(',')[0]!.trim() || undefined;
}
