import { useEffect, useReducer } from 'preact/hooks';
import { usePageOf } from '../../shared/view/page.js';
import { useStore } from '../../shared/view/use-store.js';
import type { Outcome } from '../outcomes/outcome.js';
import { Operations } from './operations.js';
import type { View } from './view.js';

/** The page's one state. */
export function useOperations(): Operations {
  return usePageOf(Operations);
}

/** A part of what is shown; the component is rendered again when that part changes. */
export function useView<T>(select: (view: View) => T): T {
  return useStore(useOperations().view, select);
}

/** The listed outcomes; the component is rendered again when they change. */
export function useListed(): readonly Outcome[] {
  const operations = useOperations();
  useView((view) => view.version);
  useView((view) => view.tab);
  useView((view) => view.filter);
  useView((view) => view.lists);
  useView((view) => view.found);
  return operations.listed;
}

/** The time, in milliseconds, updated each second. */
export function useNow(): number {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(() => redraw(undefined), 1000);
    return () => clearInterval(timer);
  }, []);
  return Date.now();
}
