import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { useStore } from '../shared/view/use-store.js';
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
  return useStore(useInspector().view, select);
}
