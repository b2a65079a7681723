import type { Overview, SearchResult } from '../../../src/api/serve.js';
import { countOf, timestampText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { isNarrowed, noFilter, searchText } from '../filter/filter.js';
import { agoText } from '../outcomes/span.js';
import { useNow, useOperations } from '../view/operations.js';

/** Shown in place of the list when a search finds nothing: what may have happened to the event. */
export function NothingFound() {
  const operations = useOperations();
  const { value: filter } = operations.filter;
  const { isCurrent, error, result } = operations.lists.found.value;
  const { value: overview } = operations.overview;
  const now = useNow();
  const hasFilters = isNarrowed({ ...filter, search: noFilter.search });
  if (error !== undefined) {
    return (
      <div class="no-match">
        <p role="alert">{error}</p>
      </div>
    );
  }
  if (!isCurrent || !result || !overview) return <p class="no-match">Searching …</p>;
  const times = {
    ago: (iso: string) => agoText(iso, now),
    timestamp: (iso: string) => timestampText(iso, now),
  };
  return (
    <div class="no-match nothing-found">
      <h2>
        {result.seen.length > 0 ? 'No record of' : 'No event has'} “
        <Received text={searchText(filter)} />”
      </h2>
      {hasFilters && (
        <p>
          Filters are active.{' '}
          <button
            class="link"
            onClick={() => operations.setFilter({ ...noFilter, search: filter.search })}
          >
            Search without them
          </button>
        </p>
      )}
      {result.seen.length === 0 && (
        <p>
          It is not queued, waiting, failed, rejected or skipped, and it is not in the history.
          Possible reasons, the most likely first:
        </p>
      )}
      <ul>
        {explanations(overview, result, times).map((text) => (
          <li key={text}>
            <Received text={text} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** How times are written. */
interface Times {
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
      ({ code, source, count, message, lastAt }) =>
        `Its whole request was refused. ${countOf(count, 'request')} ${count === 1 ? 'was' : 'were'} refused${source === null ? '' : ` at ${source}`}, most recently ${times.ago(lastAt)}: ${message} (${code}).`,
    ),
    `It never reached this service: no source sent this messageId within the last day. ${lastSeen(overview, times)}`,
    ...forgotten(result, times),
    ...(overview.sources.some(({ raw }) => raw)
      ? ['It is in the body of a delivered request: only those of the newest 1,000 are searched.']
      : []),
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
    return `${name} ${lastReceivedAt === null ? 'never' : ago(lastReceivedAt)}`;
  });
  if (seen.length === 0) return 'The configuration has no source.';
  return `Last seen since the service started: ${seen.join(', ')}.`;
}
