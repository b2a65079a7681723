let latest = { ms: NaN, text: '' };

/** A time, in milliseconds since 1970, as ISO 8601. Hundreds of calls are made in one millisecond. */
export function isoTime(ms: number): string {
  if (latest.ms !== ms) latest = { ms, text: new Date(ms).toISOString() };
  return latest.text;
}
