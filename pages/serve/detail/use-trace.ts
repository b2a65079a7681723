import { useEffect, useState } from 'preact/hooks';
import { mergeOutcomes } from '../outcomes/merge.js';
import { outcomesOf } from '../outcomes/found.js';
import { ofDeadLetter, ofWaiting, type Outcome } from '../outcomes/outcome.js';
import { useOperations } from '../view/operations.js';

/** Everything that is known of the event of an outcome, at all destinations; itself at least. */
export function useTrace(outcome: Outcome): readonly Outcome[] {
  const operations = useOperations();
  const { service, log } = operations;
  const { value: overview } = operations.overview;
  const [stored, setStored] = useState<readonly Outcome[]>([]);
  const [found, setFound] = useState<readonly Outcome[]>([]);
  const { messageId, source } = outcome;
  useEffect(() => {
    if (messageId === null) return undefined;
    const abort = new AbortController();
    service.search({ search: messageId, source }, abort.signal).then(
      (result) => setFound(outcomesOf(result)),
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
      ([waiting, deadLetters]) =>
        setStored([
          ...waiting.rows.map((row) => ofWaiting(row)),
          ...deadLetters.rows.map(ofDeadLetter),
        ]),
      // The outcome from the list is still shown.
      () => undefined,
    );
    return () => abort.abort();
    // Loaded again with each overview, which arrives at most once a second after a change.
  }, [messageId, source, overview]);
  const isSame = (other: Outcome): boolean =>
    other.key === outcome.key ||
    (messageId !== null && other.messageId === messageId && other.source === source);
  const live = log.toArray().filter(isSame);
  const base = live.some(({ key }) => key === outcome.key) ? [] : [outcome];
  return mergeOutcomes([base, live, stored.filter(isSame), found.filter(isSame)]);
}
