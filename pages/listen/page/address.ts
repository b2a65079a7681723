import { useEffect, useRef } from 'preact/hooks';
import { useInspector, useView } from '../view/use-view.js';

/**
 * Keeps the number of the open request in the URL, so that the Back button closes the request and a
 * reload opens it again. It is a component so that nothing else is rendered with each change of the
 * list.
 */
export function Address() {
  const inspector = useInspector();
  const opened = useView((view) => view.opened);
  const version = useView((view) => view.version);
  const wasOpen = useRef(false);

  useEffect(() => {
    const here = numberInAddress();
    if (opened && opened.sequence !== here) {
      // Moving from one request to the next adds no entry to the history.
      if (here === undefined) history.pushState(null, '', `#${opened.sequence}`);
      else history.replaceState(null, '', `#${opened.sequence}`);
    } else if (!opened && wasOpen.current && here !== undefined) {
      history.replaceState(null, '', location.pathname);
    }
    wasOpen.current = opened !== undefined;
  }, [opened]);

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

function numberInAddress(): number | undefined {
  const digits = /^#(\d+)$/.exec(location.hash)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
