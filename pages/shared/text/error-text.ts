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
