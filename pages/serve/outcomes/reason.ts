import { durationText } from '../../shared/text/format.js';
import { timestampText } from '../../shared/text/timestamp.js';
import { spanText } from './span.js';
import type { Outcome } from './outcome.js';

/** The reason for the outcome of an event, in a few words; `now` in milliseconds. */
export function reasonOf(outcome: Outcome, now: number): string {
  switch (outcome.state) {
    case 'delivered':
      return deliveredText(outcome);
    case 'retrying':
      return `${outcome.held ?? nextOf(outcome, now)}, last response ${responseOf(outcome)}`;
    case 'queued':
      return outcome.message ?? 'waiting in the queue';
    case 'repeated':
      return outcome.message ?? 'its messageId was received before';
    case 'skipped':
      return outcome.message ?? 'its integrations turn off this destination';
    case 'failed':
    case 'rejected':
      return outcome.message ?? outcome.code ?? `last response ${responseOf(outcome)}`;
  }
}

/** The same as a whole sentence, for the details of the event. */
export function sentenceOf(outcome: Outcome, now: number): string {
  const at = timestampText(outcome.at, now);
  const attempts = outcome.tries === 1 ? '1 attempt' : `${outcome.tries} attempts`;
  switch (outcome.state) {
    case 'delivered':
      return outcome.tries > 1
        ? `Delivered at ${at}, after ${attempts}.`
        : `Delivered at ${at}, on the first attempt.`;
    case 'retrying':
      return `Not delivered yet: ${reasonOf(outcome, now)} (after ${attempts}).`;
    case 'queued':
      return `Not attempted yet: ${reasonOf(outcome, now)}.`;
    case 'repeated':
      return `Duplicate, not forwarded: ${reasonOf(outcome, now)} (received at ${at}).`;
    case 'failed':
      return `Failed at ${at} after ${attempts}: ${reasonOf(outcome, now)}`;
    case 'skipped':
      return `Skipped: ${reasonOf(outcome, now)}`;
    case 'rejected':
      return `Rejected, not forwarded: ${reasonOf(outcome, now)}`;
  }
}

/** `503`, `timeout`, or `none`. */
export function responseOf({ status, error }: Pick<Outcome, 'status' | 'error'>): string {
  return status === null ? (error ?? 'none') : String(status);
}

function statusText(status: number | null): string {
  return status === null ? '' : String(status);
}

function deliveredText({ attempts, tries, status }: Outcome): string {
  const last = attempts.at(-1);
  const response = last
    ? `${responseOf(last)} in ${durationText(last.durationMs)}`
    : statusText(status);
  return tries > 1 ? `${response}${response && ', '}after ${tries} attempts` : response;
}

function nextOf({ nextAt }: Outcome, now: number): string {
  if (nextAt === null) return 'waiting in the queue';
  const rest = Date.parse(nextAt) - now;
  return rest > 0 ? `next attempt in ${spanText(rest)}` : 'next attempt now';
}
