import type { EventAtDestination } from '../../../../src/api/serve.js';

export const noon = Date.parse('2026-11-20T12:00:00.000Z');

/** So many milliseconds from noon. */
export function at(ms: number): string {
  return new Date(noon + ms).toISOString();
}

/** An event as the service tells it: delivered at the first attempt, unless told otherwise. */
export function outcome(change: Partial<EventAtDestination> = {}): EventAtDestination {
  const event = { source: 'web', destination: 'crm', messageId: 'm1', ...change };
  return {
    id: JSON.stringify([event.source, event.messageId, event.destination]),
    type: 'track',
    name: 'Order Completed',
    user: 'u1',
    receivedAt: at(0),
    state: 'delivered',
    at: at(10),
    endpoints: [],
    attempts: 1,
    status: null,
    error: null,
    durationMs: 0,
    nextAt: null,
    code: null,
    message: null,
    ...event,
  };
}
