import { shortened } from '../../delivery/response-excerpt.js';
import type { Forwarding } from '../forward/forwarding.js';
import { identityOf } from '../event-identity.js';
import type { LogEntry } from '../store/delivery-log-entry.js';
import type { Accepted, IngestBatch } from '../types.js';
import type { Skip } from './skips.js';

/**
 * Bytes of a response's body in a line of the log, which has some 300 bytes without it. With all headers
 * that are kept, each as long as it may be, a line has at most 8 KB of ASCII; the usual response of an error
 * adds less than 500 bytes. The files of the log are limited as a whole.
 */
const maxLoggedBody = 1_024;

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
    response,
  } = forwarding;
  return {
    ...{ at, state: verdict, source, destination, messageId, type, name, user, receivedAt },
    ...{ tries, status, error, durationMs, code, message },
    response: response ? shortened(response, maxLoggedBody) : null,
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

const notAttempted = {
  tries: 0,
  status: null,
  error: null,
  durationMs: 0,
  response: null,
} as const;
