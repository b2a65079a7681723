// Counts and durations are written as on the command line.
export {
  count as countText,
  countOf,
  msText as durationText,
} from '../../../src/output/numbers.js';

/** `512 B`, `1.2 KB`, `3.4 MB`; 1 KB is 1,024 bytes. */
export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const isMega = bytes >= 1024 * 1023.5;
  const value = bytes / (isMega ? 1024 * 1024 : 1024);
  return `${value.toFixed(value < 99.95 ? 1 : 0)} ${isMega ? 'MB' : 'KB'}`;
}

/** `09:41:07.250`, in the zone of the reader. */
export function clockText(iso: string): string {
  const time = new Date(iso);
  const ms = String(time.getMilliseconds()).padStart(3, '0');
  return `${secondText(time)}.${ms}`;
}

/** `09:41:07`, in the zone of the reader. */
export function secondText(time: Date): string {
  return [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
