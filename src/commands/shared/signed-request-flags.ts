import { durationHint, durationMs } from '../../config/duration.js';
import { UsageError } from '../../errors.js';
import { timestampMs } from '../../events/timestamp.js';
import { isHeaderValue } from '../../http/header-rules.js';
import { quoted } from '../../quoted.js';

/** Flags that describe a request whose signature is made or judged, as they were typed. */
export interface SignedRequestFlags {
  at?: string;
  url?: string;
  method?: string;
  contentType?: string;
}

/** The same, checked. */
export interface SignedRequestValues {
  /** Milliseconds since 1970. */
  readonly atMs?: number;
  readonly url?: string;
  /** In upper case. */
  readonly method?: string;
  readonly contentType?: string;
}

/** @throws UsageError for a value that is not a time, a URL, a method or a content type */
export function signedRequestValues({
  at,
  url,
  method,
  contentType,
}: SignedRequestFlags): SignedRequestValues {
  return {
    ...(at !== undefined && { atMs: parseAt(at) }),
    ...(url !== undefined && { url: checkUrl(url) }),
    ...(method !== undefined && { method: checkMethod(method) }),
    ...(contentType !== undefined && { contentType: checkContentType(contentType) }),
  };
}

const dayForm = /^\d{4}-\d{2}-\d{2}$/;

/** ISO 8601 with zone, a day (its midnight in UTC), or seconds since 1970. */
function parseAt(text: string): number {
  const seconds = /^\d{1,11}(?:\.\d{1,9})?$/.test(text)
    ? Math.round(Number(text) * 1000)
    : undefined;
  const at = seconds ?? timestampMs(dayForm.test(text) ? `${text}T00:00:00Z` : text);
  if (at !== undefined) return at;
  const form = /^\d{12,}$/.test(text)
    ? 'has too many digits for seconds; leave out the milliseconds'
    : 'is not a valid time; use ISO 8601 with its zone, e.g. 2026-10-01T08:00:00Z, or seconds since 1970';
  throw new UsageError(`--at: ${quoted(text, 'the value')} ${form}`);
}

/** The URL stays as it is typed, since its characters are signed. */
function checkUrl(text: string): string {
  if (/^https?:\/\/[^/?#]/i.test(text) && !/\s/.test(text) && URL.canParse(text)) return text;
  throw new UsageError(
    '--url: the value is not a URL; use the whole URL, e.g. https://example.com/hook',
  );
}

function checkMethod(text: string): string {
  if (/^[A-Za-z]{1,20}$/.test(text)) return text.toUpperCase();
  throw new UsageError(`--method: ${quoted(text, 'the value')} is not a method; use e.g. POST`);
}

/** A text such as `form` would be taken for the type of a body that is none. */
function checkContentType(text: string): string {
  if (isHeaderValue(text) && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+[ \t]*(?:;.*)?$/.test(text)) return text;
  throw new UsageError(
    `--content-type: ${quoted(text, 'the value')} is not a content type; use e.g. application/x-www-form-urlencoded`,
  );
}

/**
 * `--tolerance`: milliseconds, or null for `off`.
 *
 * @throws UsageError for anything else
 */
export function parseTolerance(text: string): number | null {
  if (text === 'off') return null;
  const value = durationMs(text);
  if (value !== undefined) return value;
  if (/^\d+(\.\d+)?$/.test(text)) {
    throw new UsageError(`--tolerance: "${text}" has no unit; use ${text}s or ${text}m, or off`);
  }
  const shown = quoted(text, 'the value');
  throw new UsageError(`--tolerance: ${shown} is not a valid duration; ${durationHint}, or off`);
}
