import type { Forwarding } from '../forward/forwarding.js';
import { recognise } from '../recognise.js';
import type { TrailEntry } from '../store/trail-entry.js';
import type { Accepted, Intake } from '../types.js';
import type { Skip } from './skips.js';

/** What an event came to at a destination; undefined when it is to be tried again. */
export function endedEntry(forwarding: Forwarding): TrailEntry | undefined {
  const { verdict, at, source, destination, messageId, type, name, user, receivedAt } = forwarding;
  if (verdict === 'retry') return undefined;
  const { tries, status, error, durationMs, code = null, message = null } = forwarding;
  return {
    ...{ at, state: verdict, source, destination, messageId, type, name, user, receivedAt },
    ...{ tries, status, error, durationMs, code, message },
  };
}

/** It was not forwarded. */
export function skippedEntry(skip: Skip): TrailEntry {
  const { source, destination, messageId, type, name, user, receivedAt, code, message } = skip;
  return {
    ...{ at: receivedAt, state: 'skipped', source, destination, messageId, type, name, user },
    ...{ receivedAt, ...untried, code, message },
  };
}

/** It was left out. */
export function repeatedEntry(
  { event, stamp: { messageId } }: Accepted,
  { source, receivedAt }: Intake,
): TrailEntry {
  return {
    ...{ at: receivedAt, state: 'repeated', source: source.name, destination: null, messageId },
    ...{ ...recognise(event), receivedAt, ...untried, code: 'repeated' },
    message: 'its source had sent the same messageId within a day',
  };
}

const untried = { tries: 0, status: null, error: null, durationMs: 0 } as const;
