import type { Forwarding } from '../forward/forwarding.js';
import { identityOf } from '../event-identity.js';
import type { LogEntry } from '../store/delivery-log-entry.js';
import type { Accepted, IngestBatch } from '../types.js';
import type { Skip } from './skips.js';

/** The log entry of an ended forwarding; undefined when it will be retried. */
export function endedEntry(forwarding: Forwarding): LogEntry | undefined {
  const { verdict, at, source, destination, messageId, type, name, user, receivedAt } = forwarding;
  if (verdict === 'retry') return undefined;
  const {
    attemptCount: tries,
    status,
    error,
    durationMs,
    code = null,
    message = null,
  } = forwarding;
  return {
    ...{ at, state: verdict, source, destination, messageId, type, name, user, receivedAt },
    ...{ tries, status, error, durationMs, code, message },
  };
}

/** The log entry of an event that was not forwarded. */
export function skippedEntry(skip: Skip): LogEntry {
  const { source, destination, messageId, type, name, user, receivedAt, code, message } = skip;
  return {
    ...{ at: receivedAt, state: 'skipped', source, destination, messageId, type, name, user },
    ...{ receivedAt, ...notAttempted, code, message },
  };
}

/** The log entry of a repeated event. */
export function repeatedEntry(
  { event, stamp: { messageId } }: Accepted,
  { source, receivedAt }: IngestBatch,
): LogEntry {
  return {
    ...{ at: receivedAt, state: 'repeated', source: source.name, destination: null, messageId },
    ...{ ...identityOf(event), receivedAt, ...notAttempted, code: 'repeated' },
    message: 'the source had sent the same messageId within a day',
  };
}

const notAttempted = { tries: 0, status: null, error: null, durationMs: 0 } as const;
