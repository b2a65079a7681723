import type { Series, SeriesQuery } from '../../../src/api/serve.js';

export type Span = NonNullable<SeriesQuery['span']>;

/** The steps of a span, the incomplete one included. */
const stepsOf: Readonly<Record<Span, number>> = { '15m': 91, '1h': 361, '24h': 289 };

/** A series with the steps since; those that are older than the span are dropped. */
export function continued(before: Series | undefined, rest: Series, span: Span): Series {
  // The service was started again, or the page has missed more than it asked for.
  if (!before || rest.first < before.first || rest.first > before.next) return rest;
  const known = rest.first - before.first;
  const all = known + rest.received.length;
  const dropped = Math.max(0, all - stepsOf[span]);
  const joined = (name: SeriesName): number[] =>
    [...before[name].slice(0, known), ...rest[name]].slice(dropped);
  const first = before.first + dropped;
  const from = Date.parse(rest.from) - (rest.first - first) * rest.stepSeconds * 1000;
  return {
    ...rest,
    ...{ first, from: new Date(from).toISOString(), received: joined('received') },
    ...{ delivered: joined('delivered'), failedAttempts: joined('failedAttempts') },
    waiting: joined('waiting'),
  };
}

type SeriesName = 'received' | 'delivered' | 'failedAttempts' | 'waiting';
