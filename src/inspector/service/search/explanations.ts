import type { Overview } from '../../service-api.js';
import { countOf } from '../../shared/text/format.js';

/**
 * Why an event is nowhere to be found, from what the service knows of itself: sentences, the most
 * likely first.
 *
 * @param ago says how long ago a time was
 */
export function explanations(overview: Overview, ago: (iso: string) => string): string[] {
  return [
    ...overview.refused.map(
      ({ code, count, message, lastAt }) =>
        `Its request was refused as a whole. ${countOf(count, 'request')} ${count === 1 ? 'was' : 'were'}, last ${ago(lastAt)}: ${message} (${code}).`,
    ),
    ...queued(overview),
    ...repeated(overview),
    `It never reached this service. ${lastSeen(overview, ago)}`,
  ];
}

function queued({ destinations }: Overview): string[] {
  return destinations
    .filter((destination) => destination.queued > 0)
    .map(
      ({ name, queued: count }) =>
        `It waits for its first try: ${countOf(count, 'event')} of ${name} ${count === 1 ? 'does' : 'do'}, and these are found once they were tried.`,
    );
}

function repeated({ sources }: Overview): string[] {
  return sources
    .filter((source) => source.repeated > 0)
    .map(
      ({ name, repeated: count }) =>
        `It was left out, for ${name} had sent its messageId within a day: that was so for ${countOf(count, 'event')}.`,
    );
}

function lastSeen({ sources }: Overview, ago: (iso: string) => string): string {
  const seen = sources.map(({ name, enabled, lastReceivedAt }) => {
    if (!enabled) return `${name} (which is off)`;
    return `${name} ${lastReceivedAt === null ? 'never since the start' : ago(lastReceivedAt)}`;
  });
  if (seen.length === 0) return 'The configuration has no source.';
  return `Last seen: ${seen.join(', ')}.`;
}
