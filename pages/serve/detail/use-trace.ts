import { useEffect, useState } from 'preact/hooks';
import { newestRecords } from '../../../src/api/newest-records.js';
import type { EventAtDestination } from '../../../src/api/serve.js';
import { useOperations } from '../view/operations.js';

/** Everything that is known of the event of an outcome, at all destinations; itself at least. */
export function useTrace(outcome: EventAtDestination): readonly EventAtDestination[] {
  const operations = useOperations();
  const { service, log } = operations;
  const { value: overview } = operations.overview;
  const [stored, setStored] = useState<readonly EventAtDestination[]>([]);
  const [found, setFound] = useState<readonly EventAtDestination[]>([]);
  const { messageId, source } = outcome;
  useEffect(() => {
    if (messageId === null) return undefined;
    const abort = new AbortController();
    service.search({ search: messageId, source }, abort.signal).then(
      ({ events }) => setFound(events),
      () => undefined,
    );
    return () => abort.abort();
  }, [messageId, source]);
  useEffect(() => {
    if (messageId === null || outcome.state === 'rejected') return undefined;
    const abort = new AbortController();
    const query = { search: messageId, source };
    void Promise.all([
      service.list('waiting', query, abort.signal),
      service.list('dead-letters', query, abort.signal),
    ]).then(
      ([waiting, deadLetters]) => setStored([...waiting.rows, ...deadLetters.rows]),
      // The outcome from the list is still shown.
      () => undefined,
    );
    return () => abort.abort();
    // Loaded again with each overview, which arrives at most once a second after a change.
  }, [messageId, source, overview]);
  const isSame = (other: EventAtDestination): boolean =>
    other.id === outcome.id ||
    (messageId !== null && other.messageId === messageId && other.source === source);
  const live = log.toArray().filter(isSame);
  const base = live.some(({ id }) => id === outcome.id) ? [] : [outcome];
  const known = [...stored, ...found].filter(isSame);
  return newestRecords([...base, ...live, ...known]);
}
