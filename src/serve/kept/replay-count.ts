import type { KeptEvents, ReadBlock } from './kept-events.js';
import { doneIn, type ReplayPosition, type ReplayRequest } from './replay-store.js';
import { replaySelector, type ReplayContext } from './replay-selector.js';

/** What was counted, and up to where. */
export interface ReplayCount {
  events: number;
  position: ReplayPosition;
}

export interface CountOptions extends ReplayContext {
  readonly kept: Pick<KeptEvents, 'read'>;
  /** Awaited after each block: lets others have their turn. Resolves to whether to go on. */
  readonly next: (block: ReadBlock) => Promise<boolean>;
}

/**
 * Adds what a request selects behind the position of a count. Resolves to whether that was all.
 * @throws UsageError for `where`; StateError when the store is away: the count says up to where it came
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
