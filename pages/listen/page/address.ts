import { effect } from '@preact/signals';
import type { Inspector } from '../view/inspector.js';

/** Browsers limit how often a page may change its URL. */
const typingMs = 300;

/**
 * Keeps the query and the number of the open request in the URL, so that the Back button closes the
 * request and a reload shows the same again.
 */
export function keepAddress(inspector: Inspector): void {
  const { opened, query } = inspector;
  let wasOpen = false;
  effect(() => {
    const { value: row } = opened;
    const here = numberInAddress();
    if (row && row.sequence !== here) {
      // Moving from one request to the next adds no entry to the history.
      const change = here === undefined ? 'pushState' : 'replaceState';
      history[change](null, '', addressOf(query.peek(), row.sequence));
    } else if (!row && wasOpen && here !== undefined) {
      history.replaceState(null, '', addressOf(query.peek(), undefined));
    }
    wasOpen = row !== undefined;
  });

  effect(() => {
    const { value: text } = query;
    if (text === queryInAddress()) return undefined;
    const write = (): void => history.replaceState(null, '', addressOf(text, numberInAddress()));
    const timer = setTimeout(write, typingMs);
    return () => clearTimeout(timer);
  });

  const follow = (): void => {
    const here = numberInAddress();
    if (here === opened.peek()?.sequence) return;
    inspector.open(inspector.log.kept.toArray().find(({ sequence }) => sequence === here));
  };
  // At first, the request of the URL has not been loaded yet.
  inspector.version.subscribe(() => {
    if (!opened.peek() && numberInAddress() !== undefined) follow();
  });
  addEventListener('popstate', follow);
}

/** The query in the URL of the page; empty without one. */
export function queryInAddress(): string {
  return new URLSearchParams(location.search).get('q') ?? '';
}

function addressOf(query: string, sequence: number | undefined): string {
  const search = query === '' ? '' : `?${new URLSearchParams({ q: query }).toString()}`;
  return location.pathname + search + (sequence === undefined ? '' : `#${sequence}`);
}

function numberInAddress(): number | undefined {
  const digits = /^#(\d+)$/.exec(location.hash)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
