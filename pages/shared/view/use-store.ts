import { useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import type { Store } from './store.js';

/** A part of a store; the component is rendered again when that part changes. */
export function useStore<T extends object, Part>(
  store: Store<T>,
  select: (value: T) => Part,
): Part {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const part = select(store.value);
  const latest = useRef({ select, part });
  latest.current = { select, part };
  useLayoutEffect(() => {
    const check = (): void => {
      const { current } = latest;
      if (!Object.is(current.select(store.value), current.part)) redraw(undefined);
    };
    // It may have changed since rendering.
    check();
    return store.watch(check);
  }, [store]);
  return part;
}
