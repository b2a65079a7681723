import { wanted } from '../filter/filter.js';
import type { Outcome } from '../outcomes/outcome.js';
import type { Operations } from '../view/operations.js';

/** The most that the service takes at once. */
const atOnce = 500;

/**
 * Sends dead letters out again: these, or all that the list shows, also those that are not loaded
 * yet. Returns how many went out.
 */
export async function redeliver(
  operations: Operations,
  letters: readonly Outcome[] | 'all-listed',
  onProgress: (count: number) => void,
): Promise<number> {
  const { service, view, lists } = operations;
  const { filter } = view.value;
  const isWhole = wanted(filter) === '' && filter.source === undefined && filter.type === undefined;
  if (letters === 'all-listed' && isWhole && filter.destination !== undefined) {
    return (await service.redeliver({ destination: filter.destination })).redelivered;
  }
  const chosen = letters === 'all-listed' ? await lists.all('dead-letters') : letters;
  const ids = chosen.flatMap(({ letterId }) => letterId ?? []);
  let count = 0;
  for (let start = 0; start < ids.length; start += atOnce) {
    count += (await service.redeliver({ ids: ids.slice(start, start + atOnce) })).redelivered;
    onProgress(count);
  }
  return count;
}
