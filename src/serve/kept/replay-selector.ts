import { UsageError } from '../../errors.js';
import { selectionFrom } from '../../events/select.js';
import type { Clock } from '../../clock.js';
import type { Routing } from '../types.js';
import { checkRawCondition, getsRequestsOnly } from '../raw/conditions.js';
import { isTaken } from '../wanted.js';
import type { ReadEvent } from './block.js';
import type { KeptEvents, ReadBlock } from './kept-events.js';
import { keptSelector } from './selector.js';
import {
  doneIn,
  type ReplayPosition,
  type ReplayRequest,
  type ReplayStore,
} from './replay-store.js';

/** What a selection of a replay is made with. */
export interface ReplayContext {
  readonly clock: Clock;
  readonly replays: Pick<ReplayStore, 'waitingFor' | 'dead'>;
  readonly routing: () => Routing;
}

/**
 * @throws UsageError that begins with the member, for a condition that cannot be read, or that can select nothing since
 * the destination gets only requests
 */
export function checkSelection(
  { destination, ...request }: ReplayRequest,
  { sources }: Pick<Routing, 'sources'>,
): void {
  keptSelector(selectionFrom(request));
  if (!getsRequestsOnly(destination, sources)) return;
  for (const one of request.where ?? []) checkRawCondition(one, () => 'where');
  for (const [member, what] of ofEvents) {
    if (request[member] === undefined) continue;
    throw new UsageError(
      `${member}: all sources of this destination are raw, and their requests have no ${what}; leave it out, or use where`,
    );
  }
}

/** Members that select by what only events have. */
const ofEvents = [
  ['types', 'type'],
  ['events', 'event'],
  ['users', 'user'],
] as const;

/**
 * Returns a function that selects the events of a block, from the place `from` on: those of sources that list the
 * destination, which it takes, within their retention, in the requested state at the destination.
 *
 * @throws UsageError for `where`
 */
export function replaySelector(
  request: ReplayRequest,
  { clock, replays, routing }: ReplayContext,
): (block: ReadBlock, from?: number) => Promise<ReadEvent[]> {
  const { destination, state } = request;
  const { sources, destinations } = routing();
  const ofDestination = sources
    .filter((source) => source.destinations.includes(destination))
    .map(({ name }) => name);
  const to = destinations.find(({ name }) => name === destination);
  const isSelected = keptSelector({ ...selectionFrom(request), sources: ofDestination });
  const waitingAmong = replays.waitingFor(destination);
  const isWanted = ({ event }: ReadEvent): boolean => !to || isTaken(to, event);
  return async ({ events, retentionMs }, from = 0) => {
    const after = clock.now() - retentionMs;
    const selected = events.filter(
      (event) =>
        event.at >= from && event.receivedAt > after && isSelected(event) && isWanted(event),
    );
    if (selected.length === 0) return [];
    const waiting = await waitingAmong(selected);
    const ended = selected.filter((event) => !waiting.has(event));
    if (state === 'any') return ended;
    const dead = await replays.dead(destination, ended);
    return ended.filter((event) =>
      state === 'dead'
        ? dead.has(event)
        : !dead.has(event) && event.destinations.includes(destination),
    );
  };
}

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
