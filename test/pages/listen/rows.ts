import type { RequestRow } from '../../../src/api/listen.js';

/** A row of the list; what a test is not about is plain. */
export function row(sequence: number, more: Partial<RequestRow> = {}): RequestRow {
  return {
    id: `run-${sequence}`,
    sequence,
    receivedAt: new Date(Date.UTC(2026, 10, 20) + sequence * 100).toISOString(),
    method: 'POST',
    path: '/hook',
    type: 'track',
    name: 'Order Completed',
    user: 'u1',
    messageId: `m${sequence}`,
    events: 1,
    signature: 'valid',
    scheme: 'x-signature',
    reason: null,
    isDuplicate: false,
    forwarded: null,
    bytes: 100,
    response: { status: 200, delayMs: 0 },
    fault: null,
    durationMs: 1,
    ...more,
  };
}

/** Rows from `first` on, in the order of arrival. */
export function rows(count: number, first = 1): RequestRow[] {
  return Array.from({ length: count }, (_, i) => row(first + i));
}

export function sequencesOf(list: readonly RequestRow[]): number[] {
  return list.map(({ sequence }) => sequence);
}
