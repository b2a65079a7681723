import { useEffect, useState } from 'preact/hooks';
import type { Series, SeriesQuery } from '../../../src/api/serve.js';
import { useOperations } from '../view/operations.js';

/** A step of the service; only the steps since the last answer are asked for. */
const everyMs = 10_000;

/** What happened over time, kept up to date while the page is in sight; undefined until it is loaded. */
export function useSeries(span: Span, destination: string | undefined): Series | undefined {
  const operations = useOperations();
  const { value: connection } = operations.connection;
  const [series, setSeries] = useState<Series>();
  useEffect(() => {
    const abort = new AbortController();
    let known: Series | undefined;
    const load = async (): Promise<void> => {
      if (document.hidden) return;
      const query = {
        span,
        ...(destination !== undefined && { destination }),
        ...(known && { from: known.next }),
      };
      try {
        const rest = await operations.service.series(query, abort.signal);
        known = continued(known, rest, span);
        setSeries(known);
      } catch {
        // The page says so when the service is away; the chart goes on when it is back.
      }
    };
    const now = (): void => void load();
    now();
    const timer = setInterval(now, everyMs);
    document.addEventListener('visibilitychange', now);
    return () => {
      abort.abort();
      clearInterval(timer);
      document.removeEventListener('visibilitychange', now);
    };
  }, [span, destination, connection === 'lost']);
  return series;
}

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
