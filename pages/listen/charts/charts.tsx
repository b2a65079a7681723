import { untracked } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { useInspector } from '../view/inspector.js';
import { LatencyChart } from './latency-chart.js';
import { TimelineChart } from './timeline-chart.js';
import { type Coloring, isSparse, type Timeline, timelineOf } from './timeline.js';

/** The charts of the listed requests. */
export function Charts() {
  const [coloring, setColoring] = useState<Coloring>('response');
  const timeline = useTimeline(coloring);
  const height = isSparse(timeline) ? smallPx : plotPx;
  return (
    <div class="charts">
      <TimelineChart
        timeline={timeline}
        height={height}
        chosen={coloring}
        onColoring={setColoring}
      />
      <LatencyChart timeline={timeline} height={height} />
    </div>
  );
}

/** Height of a plot, and of one that has little to show. */
const plotPx = 104;
const smallPx = 58;

/** Charts need not change as often as the list. */
const pauseMs = 500;

/** The timeline of what the list shows, updated at most twice a second. */
function useTimeline(coloring: Coloring): Timeline {
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
