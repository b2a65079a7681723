import { untracked } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { useInspector } from '../view/inspector.js';
import type { Coloring } from './kinds.js';
import { timelineOf, type Timeline } from './timeline.js';

/** Charts need not change as often as the list. */
const pauseMs = 500;

/** The timeline of what the list shows, updated at most twice a second. */
export function useTimeline(coloring: Coloring): Timeline {
  const inspector = useInspector();
  const { version } = inspector;
  const make = (): Timeline =>
    untracked(() => timelineOf(inspector.log.matching.toArray(), coloring));
  const [timeline, setTimeline] = useState(make);
  useEffect(() => {
    let shown: number;
    let timer: number | undefined;
    const renew = (): void => {
      timer = undefined;
      shown = version.peek();
      setTimeline(make());
    };
    renew();
    const stop = version.subscribe((current) => {
      if (current !== shown) timer ??= window.setTimeout(renew, pauseMs);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [coloring]);
  return timeline;
}
