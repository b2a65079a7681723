import type { DeliveryRow } from '../../../../src/api/serve.js';
import { ofDelivery, type Outcome } from '../../../../pages/serve/outcomes/outcome.js';

export const noon = Date.parse('2026-11-20T12:00:00.000Z');

/** So many milliseconds from noon. */
export function at(ms: number): string {
  return new Date(noon + ms).toISOString();
}

/** A delivery as the service tells it: at the first try, unless told otherwise. */
export function delivery(change: Partial<DeliveryRow> = {}): DeliveryRow {
  return {
    id: '1',
    source: 'web',
    destination: 'crm',
    messageId: 'm1',
    type: 'track',
    name: 'Order Completed',
    user: 'u1',
    receivedAt: at(0),
    state: 'delivered',
    at: at(10),
    attempts: [],
    tries: 1,
    nextAt: null,
    code: null,
    message: null,
    ...change,
  };
}

export function outcome(change: Partial<DeliveryRow> = {}): Outcome {
  return ofDelivery(delivery(change));
}
