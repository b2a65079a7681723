import { countOf as eventsOf } from '../../shared/text/format.js';
import { searchText } from '../filter/filter.js';
import type { Tab } from './lists.js';
import type { Operations } from './operations.js';

/** How many events there are in a list. */
export interface Counted {
  readonly count: number;
  /** Whether there may be more. */
  readonly isMore: boolean;
}

const stateOf = { waiting: 'retrying', 'dead-letters': 'failed', rejected: 'rejected' } as const;

/**
 * How many events of a list the search and the filters let through, as the list shows them; undefined where
 * that is not known: for the live events, and where a filter would have to be applied by the service first.
 */
export function countOf(tab: Tab, operations: Operations): Counted | undefined {
  const { filter, lists } = operations;
  if (tab === 'events') return undefined;
  const { source, destination, type } = filter.value;
  if (searchText(filter.value) !== '') {
    const { result } = lists.found.value;
    const found = result?.events.filter(
      (event) => event.state === stateOf[tab] && (type === undefined || event.type === type),
    );
    return found && { count: found.length, isMore: result?.isComplete === false };
  }
  const { isCurrent, next } = lists[tab].value;
  const isShown = operations.tab.value === tab && isCurrent;
  if (isShown && next === null) return { count: operations.listed.value.length, isMore: false };
  const isNarrowed = type !== undefined || (tab !== 'rejected' && source !== undefined);
  if (!isNarrowed) return { count: stored(tab, operations, source, destination), isMore: false };
  return isShown ? { count: operations.listed.value.length, isMore: true } : undefined;
}

/** All dead letters that the search and the filters let through: `all 171 events`, `all that match` where it is not known. */
export function allText(operations: Operations): string {
  const all = countOf('dead-letters', operations);
  if (all === undefined || all.isMore) return 'all that match';
  return all.count === 1 ? '1 event' : `all ${eventsOf(all.count, 'event')}`;
}

/** All of a source or destination, or of all: what was rejected has no destination, and the others are counted by it. */
function stored(
  tab: Exclude<Tab, 'events'>,
  { overview }: Operations,
  source: string | undefined,
  destination: string | undefined,
): number {
  const { sources = [], destinations = [] } = overview.value ?? {};
  if (tab === 'rejected') {
    return sum(sources, source, ({ rejected }) => rejected);
  }
  return sum(destinations, destination, ({ retrying, deadLetters }) =>
    tab === 'waiting' ? retrying : deadLetters,
  );
}

function sum<Named extends { readonly name: string }>(
  all: readonly Named[],
  name: string | undefined,
  countOfOne: (one: Named) => number,
): number {
  const chosen = all.filter((one) => name === undefined || one.name === name);
  return chosen.reduce((count, one) => count + countOfOne(one), 0);
}
