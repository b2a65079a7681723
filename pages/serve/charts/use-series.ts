import { useEffect, useState } from 'preact/hooks';
import type { Series } from '../../../src/api/serve.js';
import { useOperations } from '../view/operations.js';
import { continued, type Span } from './continued.js';

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
