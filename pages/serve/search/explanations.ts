import type { Overview, SearchResult } from '../../../src/api/serve.js';
import { countOf } from '../../shared/text/format.js';

/** How times are written. */
export interface Times {
  /** How long ago it was. */
  readonly ago: (iso: string) => string;
  /** When it was. */
  readonly timestamp: (iso: string) => string;
}

/** Why a search may have found no event, from the state of the service; the most likely first. */
export function explanations(overview: Overview, result: SearchResult, times: Times): string[] {
  const seen = seenBy(result, times);
  if (seen.length > 0) return [...seen, ...unfinished(result)];
  return [
    ...unfinished(result),
    ...overview.refused.map(
      ({ code, count, message, lastAt }) =>
        `Its whole request was refused. ${countOf(count, 'request')} ${count === 1 ? 'was' : 'were'} refused, most recently ${times.ago(lastAt)}: ${message} (${code}).`,
    ),
    `It never reached this service: no source sent this messageId within the last day. ${lastSeen(overview, times)}`,
    ...forgotten(result, times),
  ];
}

function seenBy({ seen, historyFrom }: SearchResult, { ago, timestamp }: Times): string[] {
  const since = historyFrom === null ? '' : `, which goes back to ${timestamp(historyFrom)}`;
  return seen.map(
    ({ source, at }) =>
      `It was received: ${source} sent this messageId ${ago(at)} (± 10 minutes). It is not queued, waiting or a dead letter, and its outcome is not in the history${since}.`,
  );
}

function unfinished({ isComplete }: SearchResult): string[] {
  if (isComplete) return [];
  return [
    'The search was stopped because there was too much data. Search for a whole messageId to find more.',
  ];
}

function forgotten({ historyFrom }: SearchResult, { timestamp }: Times): string[] {
  if (historyFrom === null) return [];
  return [`It was completed before the history begins (${timestamp(historyFrom)}).`];
}

function lastSeen({ sources }: Overview, { ago }: Times): string {
  const seen = sources.map(({ name, enabled, lastReceivedAt }) => {
    if (!enabled) return `${name} (disabled)`;
    return `${name} ${lastReceivedAt === null ? 'never since the service started' : ago(lastReceivedAt)}`;
  });
  if (seen.length === 0) return 'The configuration has no source.';
  return `Last seen: ${seen.join(', ')}.`;
}
