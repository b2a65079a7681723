const form =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:Z|[+-](\d{2}):?(\d{2}))$/;

/** Most timestamps have milliseconds, are in UTC, and on a day that every month has. */
const usualForm =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/**
 * Milliseconds since 1970 of an ISO 8601 date and time with zone (`Z`, `+02:00`, `+0200`), seconds
 * with or without fraction; undefined for anything else, days that do not exist included.
 */
export function timestampMs(text: unknown): number | undefined {
  if (typeof text !== 'string') return undefined;
  return usualForm.test(text) ? Date.parse(text) : unusualMs(text);
}

/** Whether `timestampMs` can read it. */
export function isTimestamp(text: unknown): boolean {
  return typeof text === 'string' && (usualForm.test(text) || unusualMs(text) !== undefined);
}

function unusualMs(text: string): number | undefined {
  const parts = form.exec(text);
  if (!parts) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as Six;
  if (hour > 23 || minute > 59 || second > 59 || !isDay(year, month, day)) return undefined;
  if (Number(parts[7] ?? 0) > 23 || Number(parts[8] ?? 0) > 59) return undefined;
  // Date.parse needs the colon in the zone.
  return Date.parse(parts[0].replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
}

type Six = [number, number, number, number, number, number];

function isDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  return day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}
