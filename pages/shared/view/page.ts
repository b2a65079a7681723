import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ListPage } from './list-page.js';

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
