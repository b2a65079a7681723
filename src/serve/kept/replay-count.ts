import type { KeptEvents, ReadBlock } from './kept-events.js';
import { doneIn, type ReplayPosition, type ReplayRequest } from './replay-store.js';
import { replaySelector, type ReplayContext } from './replay-selector.js';

/** How many events were counted, up to a position. */
export interface ReplayCount {
  events: number;
  position: ReplayPosition;
}

export interface CountOptions extends ReplayContext {
  readonly kept: Pick<KeptEvents, 'read'>;
  /** Awaited after each block, so that other work is done meanwhile. Resolves to whether to go on. */
  readonly next: (block: ReadBlock) => Promise<boolean>;
}

/**
 * Adds the events that a request selects after the position of a count. Resolves to whether it came to the end.
 * @throws UsageError for `where`; StateError when the store is away: the position says how far it came
 */
export async function countSelected(
  request: ReplayRequest,
  count: ReplayCount,
  options: CountOptions,
): Promise<boolean> {
  const selected = replaySelector(request, options);
  const { since, until } = request;
  const from = count.position;
  for await (const block of options.kept.read({ after: from.after, since, until })) {
    const done = doneIn(from, block, count.position === from);
    count.events += (await selected(block, done)).length;
    count.position = { after: block.position, done: 0 };
    if (!(await options.next(block))) return false;
  }
  return true;
}
