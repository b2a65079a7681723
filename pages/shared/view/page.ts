import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ListPage } from './list-page.js';
import type { DialogState, ListView } from './list-view.js';
import { useStore } from './use-store.js';

export const PageContext = createContext<ListPage | undefined>(undefined);

/** The page around a component, whichever it is. */
export function usePage(): ListPage {
  const page = useContext(PageContext);
  if (!page) throw new Error('there is no page around this component');
  return page;
}

/** The same, where it is known of which class the page is. */
export function usePageOf<Page extends ListPage>(type: new (...parts: never[]) => Page): Page {
  const page = usePage();
  if (!(page instanceof type)) throw new Error(`the page is not of the class ${type.name}`);
  return page;
}

/** A part of what every page shows; the component is rendered again when that part changes. */
export function usePageView<T>(select: (view: ListView<unknown, DialogState>) => T): T {
  return useStore(usePage().view, select);
}
