import { createContext } from 'preact';
import { useContext, useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import type { Inspector } from './inspector.js';
import type { View } from './view.js';

export const InspectorContext = createContext<Inspector | undefined>(undefined);

/** The page's one inspector. */
export function useInspector(): Inspector {
  const inspector = useContext(InspectorContext);
  if (!inspector) throw new Error('there is no inspector around this component');
  return inspector;
}

/** A part of what is shown; the component is drawn again when that part changes. */
export function useView<T>(select: (view: View) => T): T {
  const { view } = useInspector();
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const value = select(view.value);
  const latest = useRef({ select, value });
  latest.current = { select, value };
  useLayoutEffect(() => {
    const check = (): void => {
      const { current } = latest;
      if (!Object.is(current.select(view.value), current.value)) redraw(undefined);
    };
    // What has changed between drawing and now.
    check();
    return view.watch(check);
  }, [view]);
  return value;
}
