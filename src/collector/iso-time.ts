let latest = { ms: NaN, text: '' };

/** A time in milliseconds since 1970, as ISO 8601; cached, since there are hundreds of calls per millisecond. */
export function isoTime(ms: number): string {
  if (latest.ms !== ms) latest = { ms, text: new Date(ms).toISOString() };
  return latest.text;
}
