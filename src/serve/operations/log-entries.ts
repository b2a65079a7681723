import type { Forwarding } from '../forward/forwarding.js';
import { identityOf } from '../event-identity.js';
import type { LogEntry } from '../store/delivery-log-entry.js';
import type { Accepted, IngestBatch } from '../types.js';
import type { Skip } from './skips.js';

/** What an event came to at a destination; undefined when it is to be tried again. */
export function endedEntry(forwarding: Forwarding): LogEntry | undefined {
  const { verdict, at, source, destination, messageId, type, name, user, receivedAt } = forwarding;
  if (verdict === 'retry') return undefined;
  const { tries, status, error, durationMs, code = null, message = null } = forwarding;
  return {
    ...{ at, state: verdict, source, destination, messageId, type, name, user, receivedAt },
    ...{ tries, status, error, durationMs, code, message },
  };
}

/** It was not forwarded. */
export function skippedEntry(skip: Skip): LogEntry {
  const { source, destination, messageId, type, name, user, receivedAt, code, message } = skip;
  return {
    ...{ at: receivedAt, state: 'skipped', source, destination, messageId, type, name, user },
    ...{ receivedAt, ...notAttempted, code, message },
  };
}

/** It was left out. */
export function repeatedEntry(
  { event, stamp: { messageId } }: Accepted,
  { source, receivedAt }: IngestBatch,
): LogEntry {
  return {
    ...{ at: receivedAt, state: 'repeated', source: source.name, destination: null, messageId },
    ...{ ...identityOf(event), receivedAt, ...notAttempted, code: 'repeated' },
    message: 'its source had sent the same messageId within a day',
  };
}

const notAttempted = { tries: 0, status: null, error: null, durationMs: 0 } as const;
