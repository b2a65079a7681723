import type { Overview, SearchResult } from '../../service-api.js';
import { countOf } from '../../shared/text/format.js';

/** How times are said. */
export interface Times {
  /** How long ago it was. */
  readonly ago: (iso: string) => string;
  /** When it was. */
  readonly moment: (iso: string) => string;
}

/**
 * Why an event is nowhere to be found, from what the service knows of itself: sentences, the most
 * likely first.
 */
export function explanations(overview: Overview, result: SearchResult, times: Times): string[] {
  const seen = seenBy(result, times);
  if (seen.length > 0) return [...seen, ...unfinished(result)];
  return [
    ...unfinished(result),
    ...overview.refused.map(
      ({ code, count, message, lastAt }) =>
        `Its request was refused as a whole. ${countOf(count, 'request')} ${count === 1 ? 'was' : 'were'}, last ${times.ago(lastAt)}: ${message} (${code}).`,
    ),
    `It never reached this service. As a messageId, no source sent it within the last day. ${lastSeen(overview, times)}`,
    ...forgotten(result, times),
  ];
}

function seenBy({ seen, historyFrom }: SearchResult, { ago, moment }: Times): string[] {
  const since = historyFrom === null ? '' : `, which goes back to ${moment(historyFrom)}`;
  return seen.map(
    ({ source, at }) =>
      `It did come: ${source} sent this messageId ${ago(at)}, give or take ten minutes. It waits nowhere and was not given up; what it came to is not in the history${since}.`,
  );
}

function unfinished({ isComplete }: SearchResult): string[] {
  if (isComplete) return [];
  return ['There was too much to look through. A whole messageId finds more than a part of one.'];
}

function forgotten({ historyFrom }: SearchResult, { moment }: Times): string[] {
  if (historyFrom === null) return [];
  return [`It was done with before ${moment(historyFrom)}; the history goes back no further.`];
}

function lastSeen({ sources }: Overview, { ago }: Times): string {
  const seen = sources.map(({ name, enabled, lastReceivedAt }) => {
    if (!enabled) return `${name} (which is off)`;
    return `${name} ${lastReceivedAt === null ? 'never since the start' : ago(lastReceivedAt)}`;
  });
  if (seen.length === 0) return 'The configuration has no source.';
  return `Last seen: ${seen.join(', ')}.`;
}
