const grouped = new Intl.NumberFormat('en-US');

/** `10,000`. */
export function countText(count: number): string {
  return grouped.format(count);
}

/** `1 request`, `10,000 requests`. */
export function countOf(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `512 B`, `1.2 KB`, `3.4 MB`; 1 KB is 1,024 bytes. */
export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const isMega = bytes >= 1024 * 1023.5;
  const value = bytes / (isMega ? 1024 * 1024 : 1024);
  return `${value.toFixed(value < 99.95 ? 1 : 0)} ${isMega ? 'MB' : 'KB'}`;
}

/** `0.04 ms`, `2.5 ms`, `12 ms`, `1.5 s`. */
export function durationText(ms: number): string {
  if (ms < 9.95) return `${ms.toFixed(ms < 0.995 ? 2 : 1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(ms < 99_950 ? 1 : 0)} s`;
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
