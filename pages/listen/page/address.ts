import { useEffect, useRef } from 'preact/hooks';
import { useInspector, useView } from '../view/use-view.js';

/** Browsers limit how often a page may change its URL. */
const typingMs = 300;

/**
 * Keeps the query and the number of the open request in the URL, so that the Back button closes the
 * request and a reload shows the same again. It is a component so that nothing else is rendered with
 * each change of the list.
 */
export function Address() {
  const inspector = useInspector();
  const opened = useView((view) => view.opened);
  const version = useView((view) => view.version);
  const query = useView((view) => view.query);
  const wasOpen = useRef(false);

  useEffect(() => {
    const here = numberInAddress();
    if (opened && opened.sequence !== here) {
      // Moving from one request to the next adds no entry to the history.
      const change = here === undefined ? 'pushState' : 'replaceState';
      history[change](null, '', addressOf(query, opened.sequence));
    } else if (!opened && wasOpen.current && here !== undefined) {
      history.replaceState(null, '', addressOf(query, undefined));
    }
    wasOpen.current = opened !== undefined;
  }, [opened]);

  useEffect(() => {
    if (query === queryInAddress()) return undefined;
    const write = (): void => history.replaceState(null, '', addressOf(query, numberInAddress()));
    const timer = setTimeout(write, typingMs);
    return () => clearTimeout(timer);
  }, [query, opened]);

  useEffect(() => {
    const follow = (): void => {
      const here = numberInAddress();
      if (here !== inspector.view.value.opened?.sequence) inspector.open(rowNumbered(here));
    };
    const rowNumbered = (sequence: number | undefined) =>
      inspector.log.kept.toArray().find((row) => row.sequence === sequence);
    // At first, the request of the URL has not been loaded yet.
    if (!inspector.view.value.opened && numberInAddress() !== undefined) follow();
    addEventListener('popstate', follow);
    return () => removeEventListener('popstate', follow);
  }, [version]);
  return null;
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
