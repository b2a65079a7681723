import { useEffect, useState } from 'preact/hooks';
import type { DeadLetterDetail } from '../../service-api.js';
import { RefusedError } from '../../shared/receive/call.js';
import { useOperations } from '../view/use-view.js';

export type LetterState =
  | { readonly state: 'none' }
  | { readonly state: 'loaded'; readonly detail: DeadLetterDetail }
  | { readonly state: 'failed'; readonly message: string };

/** Loads a dead letter, where there is one; what was asked for before is given up. */
export function useLetter(id: string | null): LetterState {
  const { service } = useOperations();
  const [answer, setAnswer] = useState<{ id: string; state: LetterState }>();
  useEffect(() => {
    if (id === null) return undefined;
    const abort = new AbortController();
    const done = (state: LetterState): void => {
      if (!abort.signal.aborted) setAnswer({ id, state });
    };
    service.deadLetter(id, abort.signal).then(
      (detail) => done({ state: 'loaded', detail }),
      (error: unknown) => done(stateOf(error)),
    );
    return () => abort.abort();
  }, [id]);
  return id !== null && answer?.id === id ? answer.state : { state: 'none' };
}

/** One that is gone was delivered again meanwhile; the stream tells what became of it. */
function stateOf(error: unknown): LetterState {
  if (error instanceof RefusedError && error.status === 404) return { state: 'none' };
  return { state: 'failed', message: error instanceof Error ? error.message : String(error) };
}
