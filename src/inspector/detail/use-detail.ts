import { useEffect, useState } from 'preact/hooks';
import type { RequestDetail, RequestRow } from '../api.js';
import { RefusedError } from '../shared/receive/call.js';
import { useInspector } from '../view/use-view.js';

export type DetailState =
  | { readonly state: 'loading' }
  | { readonly state: 'loaded'; readonly detail: RequestDetail }
  | { readonly state: 'failed'; readonly message: string };

/** Loads what there is to know about a request; what was asked for before is given up. */
export function useDetail(row: RequestRow): DetailState {
  const { receiver } = useInspector();
  const [answer, setAnswer] = useState<{ id: string; state: DetailState }>();
  useEffect(() => {
    const abort = new AbortController();
    const done = (state: DetailState): void => {
      if (!abort.signal.aborted) setAnswer({ id: row.id, state });
    };
    receiver.detail(row.id, abort.signal).then(
      (detail) => done({ state: 'loaded', detail }),
      (error: unknown) => done({ state: 'failed', message: messageOf(error) }),
    );
    return () => abort.abort();
  }, [row.id]);
  return answer?.id === row.id ? answer.state : { state: 'loading' };
}

function messageOf(error: unknown): string {
  if (error instanceof RefusedError && error.status === 404) {
    return 'The receiver no longer keeps this request: newer ones took its place. A file that --record names has it.';
  }
  return error instanceof Error ? error.message : String(error);
}
