import { useEffect, useRef } from 'preact/hooks';
import { useInspector, useView } from '../view/use-view.js';

/**
 * Keeps the open request in the address, by its number: so that the browser's own Back closes it,
 * and a reload opens it again. A component, so that only this follows every change of the list.
 */
export function Address() {
  const inspector = useInspector();
  const opened = useView((view) => view.opened);
  const version = useView((view) => view.version);
  const wasOpen = useRef(false);

  useEffect(() => {
    const here = numberInAddress();
    if (opened && opened.sequence !== here) {
      // Stepping from one request to the next is one step for Back.
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
    // At first the request that was asked for has not come yet.
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
