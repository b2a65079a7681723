import { useEffect, useState } from 'preact/hooks';
import { useInspector } from '../view/use-view.js';
import type { Coloring } from './kinds.js';
import { timelineOf, type Timeline } from './timeline.js';

/** Charts need not change as often as the list. */
const pauseMs = 500;

/** The timeline of what the list shows, updated at most twice a second. */
export function useTimeline(coloring: Coloring): Timeline {
  const { log, view } = useInspector();
  const make = (): Timeline => timelineOf(log.matching.toArray(), coloring);
  const [timeline, setTimeline] = useState(make);
  useEffect(() => {
    let version = view.value.version;
    let timer: number | undefined;
    const renew = (): void => {
      timer = undefined;
      version = view.value.version;
      setTimeline(make());
    };
    renew();
    const stop = view.watch(() => {
      if (view.value.version !== version) timer ??= window.setTimeout(renew, pauseMs);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [coloring]);
  return timeline;
}
