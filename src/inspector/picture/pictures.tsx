import { useState } from 'preact/hooks';
import type { Colouring } from './kinds.js';
import { LatencyPicture } from './latency-picture.js';
import { TimelinePicture } from './timeline-picture.js';
import { useTimeline } from './use-timeline.js';

/** What the list shows, as pictures. */
export function Pictures() {
  const [colouring, setColouring] = useState<Colouring>('answer');
  const timeline = useTimeline(colouring);
  return (
    <div class="pictures">
      <TimelinePicture timeline={timeline} chosen={colouring} onColouring={setColouring} />
      <LatencyPicture timeline={timeline} />
    </div>
  );
}
