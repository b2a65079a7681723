import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** A short word on what was just done; the number sets equal words apart. */
export interface Notice {
  readonly text: string;
  readonly id: number;
}

/** What the controls need of the page around them, whichever it is. */
export interface Page {
  /** Says a short word on what was just done. */
  notify(text: string): void;
  closeDialog(): void;
}

export const PageContext = createContext<Page | undefined>(undefined);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (!page) throw new Error('there is no page around this control');
  return page;
}
