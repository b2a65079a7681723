import { durationText } from '../../shared/text/format.js';
import { momentText } from '../../shared/text/moment.js';
import { spanText } from './span.js';
import type { Outcome } from './outcome.js';

/** Why an event is where it is, in a few words; `now` in milliseconds. */
export function reasonOf(outcome: Outcome, now: number): string {
  switch (outcome.state) {
    case 'delivered':
      return deliveredText(outcome);
    case 'retrying':
      return `${outcome.held ?? nextOf(outcome, now)}, last answer ${answerOf(outcome)}`;
    case 'queued':
      return outcome.message ?? 'its turn has not come yet';
    case 'repeated':
      return outcome.message ?? 'its messageId had come before';
    case 'skipped':
      return outcome.message ?? 'its integrations turn this destination off';
    case 'failed':
    case 'rejected':
      return outcome.message ?? outcome.code ?? `last answer ${answerOf(outcome)}`;
  }
}

/** The same as a whole sentence, for someone who asks about this one event. */
export function sentenceOf(outcome: Outcome, now: number): string {
  const at = momentText(outcome.at, now);
  const tries = outcome.tries === 1 ? 'the first try' : `${outcome.tries} tries`;
  switch (outcome.state) {
    case 'delivered':
      return outcome.tries > 1
        ? `Delivered at ${at}, after ${tries}.`
        : `Delivered at ${at}, at the first try.`;
    case 'retrying':
      return `Not delivered yet: ${reasonOf(outcome, now)} (after ${tries}).`;
    case 'queued':
      return `Not tried yet: ${reasonOf(outcome, now)}.`;
    case 'repeated':
      return `Left out at ${at}: ${reasonOf(outcome, now)}.`;
    case 'failed':
      return `Given up at ${at} after ${tries}: ${reasonOf(outcome, now)}`;
    case 'skipped':
      return `Not sent: ${reasonOf(outcome, now)}`;
    case 'rejected':
      return `Not taken, so it went nowhere: ${reasonOf(outcome, now)}`;
  }
}

/** `503`, `timeout`, or `none`. */
export function answerOf({ status, error }: Pick<Outcome, 'status' | 'error'>): string {
  return status === null ? (error ?? 'none') : String(status);
}

function answered(status: number | null): string {
  return status === null ? '' : String(status);
}

function deliveredText({ attempts, tries, status }: Outcome): string {
  const last = attempts.at(-1);
  const answer = last ? `${answerOf(last)} in ${durationText(last.durationMs)}` : answered(status);
  return tries > 1 ? `${answer}${answer && ', '}after ${tries} tries` : answer;
}

function nextOf({ nextAt }: Outcome, now: number): string {
  if (nextAt === null) return 'waits for its turn';
  const rest = Date.parse(nextAt) - now;
  return rest > 0 ? `next try in ${spanText(rest)}` : 'next try now';
}
