import { useState } from 'preact/hooks';
import type { Coloring } from './kinds.js';
import { LatencyChart } from './latency-chart.js';
import { TimelineChart } from './timeline-chart.js';
import { useTimeline } from './use-timeline.js';

/** The charts of the listed requests. */
export function Charts() {
  const [coloring, setColoring] = useState<Coloring>('response');
  const timeline = useTimeline(coloring);
  return (
    <div class="charts">
      <TimelineChart timeline={timeline} chosen={coloring} onColoring={setColoring} />
      <LatencyChart timeline={timeline} />
    </div>
  );
}
