import { createContext } from 'preact';
import { useContext, useEffect, useReducer } from 'preact/hooks';
import { useStore } from '../../shared/view/use-store.js';
import type { Outcome } from '../outcomes/outcome.js';
import type { Operations } from './operations.js';
import type { View } from './view.js';

export const OperationsContext = createContext<Operations | undefined>(undefined);

export function useOperations(): Operations {
  const operations = useContext(OperationsContext);
  if (!operations) throw new Error('there are no operations around this component');
  return operations;
}

/** A part of what is shown; the component is drawn again when that part changes. */
export function useView<T>(select: (view: View) => T): T {
  return useStore(useOperations().view, select);
}

/** What the list shows, whatever it depends on. */
export function useListed(): readonly Outcome[] {
  const operations = useOperations();
  useView((view) => view.version);
  useView((view) => view.tab);
  useView((view) => view.filter);
  useView((view) => view.lists);
  useView((view) => view.found);
  return operations.listed;
}

/** The time, in milliseconds; it goes on each second. */
export function useNow(): number {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(() => redraw(undefined), 1000);
    return () => clearInterval(timer);
  }, []);
  return Date.now();
}
