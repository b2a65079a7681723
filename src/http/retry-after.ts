/**
 * Milliseconds that a `Retry-After` header asks to wait, from `now` (ms since 1970).
 * Whole seconds or an HTTP date, RFC 9110 section 10.2.3. Undefined for anything else, and for a wait
 * of zero or a time in the past: then the usual backoff applies.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : httpDate(text) - now;
  return waitMs > 0 && Number.isFinite(waitMs) ? waitMs : undefined;
}

/** Whether a `Retry-After` header is whole seconds or an HTTP date; it may ask for no wait. */
export function isRetryAfter(header: string | undefined): boolean {
  const text = header?.trim() ?? '';
  return /^\d+$/.test(text) || !Number.isNaN(httpDate(text));
}

/** The three forms of an HTTP date; each begins with the name of a day. */
const httpDateForm = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

function httpDate(text: string): number {
  if (!httpDateForm.test(text)) return NaN;
  // asctime carries no zone but means UTC.
  return Date.parse(/GMT$/i.test(text) ? text : `${text} GMT`);
}
