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

/** The URL that the sender called, which a proxy or a tunnel notes in `X-Forwarded-*`. */
export function urlOf(headers: readonly string[], target: string): string | undefined {
  if (/^https?:\/\//i.test(target)) return target;
  const host = firstOf(headers, 'x-forwarded-host') ?? firstOf(headers, 'host');
  if (host === undefined) return undefined;
  return `${firstOf(headers, 'x-forwarded-proto') ?? 'http'}://${host}${target}`;
}

/** Each proxy adds its own value behind those that are there. */
function firstOf(headers: readonly string[], name: string): string | undefined {
  return headerValues(headers, name)[0]?.split(',')[0]!.trim() || undefined;
}
