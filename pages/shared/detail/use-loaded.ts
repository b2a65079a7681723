import { useEffect, useState } from 'preact/hooks';

export type Loaded<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'loaded'; readonly value: T }
  | { readonly state: 'failed'; readonly error: unknown };

/** Loads what belongs to an id, and cancels what was asked for before; nothing for null. */
export function useLoaded<T>(
  id: string | null,
  load: (id: string, signal: AbortSignal) => Promise<T>,
): Loaded<T> {
  const [last, setLast] = useState<{ id: string; result: Loaded<T> }>();
  useEffect(() => {
    if (id === null) return undefined;
    const abort = new AbortController();
    const done = (result: Loaded<T>): void => {
      if (!abort.signal.aborted) setLast({ id, result });
    };
    load(id, abort.signal).then(
      (value) => done({ state: 'loaded', value }),
      (error: unknown) => done({ state: 'failed', error }),
    );
    return () => abort.abort();
  }, [id]);
  return id !== null && last?.id === id ? last.result : { state: 'loading' };
}
