import { usePageOf } from '../../shared/view/page.js';
import { useStore } from '../../shared/view/use-store.js';
import { Inspector } from './inspector.js';
import type { View } from './view.js';

/** The page's one inspector. */
export function useInspector(): Inspector {
  return usePageOf(Inspector);
}

/** A part of what is shown; the component is rendered again when that part changes. */
export function useView<T>(select: (view: View) => T): T {
  return useStore(useInspector().view, select);
}
