import { isUtf8 } from 'node:buffer';
import { maxExcerptBytes, type ReceivedExcerpt } from '../http/body-excerpt.js';
import type { ResponseExcerpt } from './outcome.js';
import type { Redaction } from './redaction.js';

/** What a response said, without secrets of ours that it repeats; a body that is not UTF-8 as base64. */
export function responseExcerpt(
  { headers, body, isWhole }: ReceivedExcerpt,
  redaction: Redaction,
): ResponseExcerpt {
  const shown: Record<string, string> = {};
  for (const name in headers) shown[name] = redaction.beginning(headers[name]!);
  const text = isWhole ? redaction.all(body) : redaction.beginning(body);
  // Most bodies are ASCII, and the same text in every encoding.
  if (isAscii(text)) return { headers: shown, body: text.slice(0, maxExcerptBytes) };
  return { headers: shown, ...bodyOf(Buffer.from(text, 'latin1'), maxExcerptBytes, isWhole) };
}

function isAscii(text: string): boolean {
  return !/[\x80-\xff]/.test(text);
}

/** The same with at most this many bytes of the body. */
export function shortened(response: ResponseExcerpt, maxBytes: number): ResponseExcerpt {
  const { headers, body, bodyBase64 } = response;
  const bytes = body === undefined ? Buffer.from(bodyBase64 ?? '', 'base64') : Buffer.from(body);
  if (bytes.length <= maxBytes) return response;
  if (body !== undefined) return { headers, ...bodyOf(bytes, maxBytes, false) };
  return { headers, bodyBase64: bytes.toString('base64', 0, maxBytes) };
}

type Body = Pick<ResponseExcerpt, 'body' | 'bodyBase64'>;

function bodyOf(bytes: Buffer, maxBytes: number, isWhole: boolean): Body {
  const kept = bytes.subarray(0, maxBytes);
  const isCut = !isWhole || kept.length < bytes.length;
  const text = isCut ? kept.subarray(0, endOfLastCharacter(kept)) : kept;
  return isUtf8(text) ? { body: text.toString('utf8') } : { bodyBase64: kept.toString('base64') };
}

/** Where the last character of UTF-8 ends that is not cut off; at most three bytes before the end. */
function endOfLastCharacter(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) break;
    if (byte >= 0xc0) return lengthOf(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Of a character of UTF-8, by its first byte; 0 for a byte that begins none. */
function lengthOf(first: number): number {
  if (first > 0xf4) return 0;
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}
