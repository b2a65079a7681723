import { isProblem } from '../../events/event.js';
import { eventTimeMs } from '../../events/event-time.js';
import type { Estimate } from '../../sources/spacing.js';
import { Timeline, type TimelineOptions } from '../../sources/timeline.js';
import { readCaptures } from '../../replay/read-captures.js';
import type { ReplayParts } from './parts.js';

/** Larger captures are not read for an estimate. */
const maxBytes = 64 * 1024 * 1024;

/** How long a replay takes with the spacing of the requests; undefined if that is not known soon. */
export async function estimateCaptures(
  { inputs, items }: Pick<ReplayParts, 'inputs' | 'items'>,
  isSelected: (item: unknown) => boolean,
  options: TimelineOptions,
): Promise<Estimate | undefined> {
  const bytes = inputs.reduce((sum, { size = Infinity }) => sum + size, 0);
  if (bytes > maxBytes) return undefined;
  const timeline = new Timeline(options);
  for await (const batch of readCaptures(inputs, items, { onBroken: () => undefined })) {
    for (const item of batch) {
      const at = isProblem(item) || !isSelected(item) ? undefined : eventTimeMs(item);
      if (at !== undefined) timeline.place(at);
    }
  }
  return { ms: timeline.lengthMs, isExact: true };
}
