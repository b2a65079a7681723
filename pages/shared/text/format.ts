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

const texts: Readonly<Record<string, string>> = {
  timeout: 'timed out',
  refused: 'connection refused',
  reset: 'connection closed before a response',
  aborted: 'ended before a response',
  busy: 'not passed on: the app was busy',
  dns: 'host name not found',
  protocol: 'the response is not HTTP',
  tls: 'TLS: no trusted connection',
  gone: 'not sent: it had responded 410 Gone',
  behind: 'not sent: too far behind',
  private_address: 'private address refused',
  proxy_refused: 'refused by the proxy',
  proxy_auth: 'the proxy requires a password',
  proxy_timeout: 'timed out at the proxy',
  proxy_status: 'not connected by the proxy',
  internal_error: 'internal error of evfwd',
};

/** Why there was no response, in words; the code itself where it is not known here. */
export function errorText(error: string): string {
  return texts[error] ?? error;
}

/** `HTTP 500`, `connection refused`; undefined where nothing was attempted. */
export function resultText(status: number | null, error: string | null): string | undefined {
  if (status !== null) return `HTTP ${status}`;
  return error === null ? undefined : errorText(error);
}
