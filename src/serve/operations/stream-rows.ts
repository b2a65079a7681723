import type { AttemptRow, DeliveryRow, Overview } from '../../api/serve.js';

// An excerpt of a response takes up to some kilobytes, and the stream carries thousands of attempts: a page
// asks for the one that somebody looks at.

/** A row as the stream carries it. */
export function shortDelivery(row: DeliveryRow): DeliveryRow {
  return { ...row, attempts: row.attempts.map(withoutResponse) };
}

/** An overview as the stream carries it. */
export function shortOverview(overview: Overview): Overview {
  const destinations = overview.destinations.map((destination) => {
    const { lastFailure } = destination;
    return { ...destination, lastFailure: lastFailure && withoutResponse(lastFailure) };
  });
  return { ...overview, destinations };
}

function withoutResponse({ at, url, attempt, status, error, durationMs }: AttemptRow): AttemptRow {
  return { at, url, attempt, status, error, durationMs };
}
