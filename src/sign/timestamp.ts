import type { TimestampFormat } from './schemes/scheme.js';

/** A time as a scheme writes it. */
export function timestampText(nowMs: number, format: TimestampFormat): string {
  if (format === 'iso') return new Date(nowMs).toISOString();
  return String(Math.floor(format === 'seconds' ? nowMs / 1000 : nowMs));
}

/** Milliseconds since 1970; undefined for a text that is not in the format. */
export function readTimestamp(text: string, format: TimestampFormat): number | undefined {
  if (format === 'iso') return readIso(text);
  if (!/^(?:0|[1-9]\d{0,14})$/.test(text)) return undefined;
  const ms = format === 'seconds' ? Number(text) * 1000 : Number(text);
  return ms <= latestMs ? ms : undefined;
}

/** The latest time that a Date can have. */
const latestMs = 8.64e15;

/** RFC 3339, with any number of decimals. */
const isoForm =
  /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,3})\d{0,9})?([Zz]|[+-]\d\d:\d\d)$/;

function readIso(text: string): number | undefined {
  const [match, day, time, decimals = '0', zone] = isoForm.exec(text) ?? [];
  if (match === undefined) return undefined;
  const ms = Date.parse(`${day!}T${time!}.${decimals.padEnd(3, '0')}${zone!.toUpperCase()}`);
  if (Number.isNaN(ms) || !isDay(day!)) return undefined;
  return ms;
}

/** Date.parse takes February 30 for March 2. */
function isDay(day: string): boolean {
  const ms = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}
