/** A line as `listen --record` writes it, without its newline. */
export function captureText(fields: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    type: 'request',
    id: 'c1',
    receivedAt: '2026-10-01T08:00:00.000Z',
    method: 'POST',
    path: '/hook',
    headers: { host: 'old.example.com', 'content-type': 'application/json' },
    ...('bodyBase64' in fields ? {} : { body: '{}' }),
    signature: 'unchecked',
    response: { status: 200, delayMs: 0 },
    ...fields,
  });
}

/** A capture file with these captures, numbered from 1. */
export function captureFile(...captures: readonly Readonly<Record<string, unknown>>[]): string {
  return captures.map((one, i) => `${captureText({ id: `c${i + 1}`, ...one })}\n`).join('');
}
