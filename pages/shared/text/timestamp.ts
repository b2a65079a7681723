import { clockText } from './format.js';

/**
 * A time in the zone of the reader: `09:41:07.250`, on another day than today with the date before
 * it, `2026-11-18 09:41:07`.
 *
 * @param now in milliseconds
 */
export function timestampText(iso: string, now: number): string {
  const clock = clockText(iso);
  const day = dayText(new Date(iso));
  return day === dayText(new Date(now)) ? clock : `${day} ${clock.slice(0, 8)}`;
}

/** `2026-11-18`, in the zone of the reader. */
function dayText(time: Date): string {
  return [time.getFullYear(), time.getMonth() + 1, time.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
}
