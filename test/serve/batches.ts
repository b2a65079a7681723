import type {
  Accepted,
  Destination,
  IngestBatch,
  Rejected,
  Source,
} from '../../src/serve/types.js';
import { eventOf } from '../helpers/events.js';

export const receivedAt = Date.parse('2026-11-20T08:30:00.000Z');

export function sourceOf(change: Partial<Source> = {}): Source {
  return { name: 'web', writeKey: 'web-key', isEnabled: true, destinations: ['crm'], ...change };
}

export function destinationOf(
  urls: string | readonly string[],
  change: Partial<Destination> = {},
): Destination {
  return {
    name: 'crm',
    integrationName: 'Webhooks',
    isEnabled: true,
    allowPrivateNetworks: true,
    endpoints: [urls].flat().map((url) => ({ url })),
    ...change,
  };
}

/** An event that brought its own messageId. */
export function acceptedOf(messageId: string, more: Record<string, unknown> = {}): Accepted {
  const event = eventOf({ messageId, timestamp: '2026-11-20T08:00:00Z', ...more });
  return { event, stamp: { messageId, writesMessageId: false } };
}

export function batchOf(
  messageIds: readonly string[],
  source: Source = sourceOf(),
  rejected: readonly Rejected[] = [],
): IngestBatch {
  return { source, receivedAt, accepted: messageIds.map((id) => acceptedOf(id)), rejected };
}

/** `m0`, `m1`, …; from `first` on. */
export function ids(count: number, first = 0): string[] {
  return Array.from({ length: count }, (_, i) => `m${first + i}`);
}
