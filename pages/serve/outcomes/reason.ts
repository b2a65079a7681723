import type { EventAtDestination } from '../../../src/api/serve.js';
import { durationText, errorText, timestampText } from '../../shared/text/format.js';
import { spanText } from './span.js';

/** The reason for the outcome of an event, in a few words; `now` in milliseconds. */
export function reasonOf(outcome: EventAtDestination, now: number): string {
  switch (outcome.state) {
    case 'delivered':
      return deliveredText(outcome);
    case 'retrying':
      return `${outcome.held ?? nextOf(outcome, now)}, ${lastOf(outcome)}`;
    case 'queued':
      return queuedText(outcome, now);
    case 'repeated':
      return outcome.message ?? 'its messageId was received before';
    case 'skipped':
      if (outcome.code === 'destination_disabled')
        return 'the configuration disabled the destination';
      return outcome.message ?? 'its integrations turn off this destination';
    case 'failed':
    case 'rejected':
      return outcome.message ?? outcome.code ?? lastOf(outcome);
  }
}

/** The same as a whole sentence, for the details of the event. */
export function sentenceOf(outcome: EventAtDestination, now: number): string {
  const at = timestampText(outcome.at, now);
  const attempts = outcome.attempts === 1 ? '1 attempt' : `${outcome.attempts} attempts`;
  switch (outcome.state) {
    case 'delivered':
      return outcome.attempts > 1
        ? `Delivered at ${at}, after ${attempts}.`
        : `Delivered at ${at}, on the first attempt.`;
    case 'retrying':
      return `Not delivered yet: ${reasonOf(outcome, now)} (after ${attempts}).`;
    case 'queued':
      return `Not attempted yet: ${reasonOf(outcome, now)}.`;
    case 'repeated':
      return `Duplicate, not forwarded: ${reasonOf(outcome, now)} (received at ${at}).`;
    // Its message says after how many attempts.
    case 'failed':
      return `Failed at ${at}: ${reasonOf(outcome, now)}`;
    case 'skipped':
      return outcome.code === 'destination_disabled'
        ? 'Not sent: the configuration disabled the destination.'
        : `Skipped: ${reasonOf(outcome, now)}`;
    case 'rejected':
      return `Rejected, not forwarded: ${reasonOf(outcome, now)}`;
  }
}

/** `last response 503`, or why there was none: `last: connection refused`. */
export function lastOf({ status, error }: Pick<EventAtDestination, 'status' | 'error'>): string {
  if (status !== null) return `last response ${status}`;
  return `last: ${error === null ? 'no response' : errorText(error)}`;
}

/** `503`, or why there was no response: `timed out`. */
function responseOf({ status, error }: Pick<EventAtDestination, 'status' | 'error'>): string {
  return status === null ? errorText(error ?? 'none') : String(status);
}

/** A pause is said here in the time of the reader: that of the message is UTC. */
function queuedText({ code, message, nextAt }: EventAtDestination, now: number): string {
  if (code !== 'endpoint_paused' || nextAt === null) return message ?? 'waiting in the queue';
  return `the endpoint asked for a pause until ${timestampText(nextAt, now)}; sent after that`;
}

function deliveredText(outcome: EventAtDestination): string {
  const { attempts, status, durationMs } = outcome;
  const response =
    status === null && durationMs === 0
      ? ''
      : `${responseOf(outcome)} in ${durationText(durationMs)}`;
  return attempts > 1 ? `${response}${response && ', '}after ${attempts} attempts` : response;
}

function nextOf({ nextAt }: EventAtDestination, now: number): string {
  if (nextAt === null) return 'waiting in the queue';
  const rest = Date.parse(nextAt) - now;
  return rest > 0 ? `next attempt in ${spanText(rest)}` : 'next attempt due';
}
