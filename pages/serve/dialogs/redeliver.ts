import { wanted } from '../filter/filter.js';
import type { Outcome } from '../outcomes/outcome.js';
import type { Operations } from '../view/operations.js';

/** The most that the service accepts in one call. */
const atOnce = 500;

/**
 * Redelivers these dead letters, or all that match the filters, loaded or not. Returns how many were
 * redelivered.
 */
export async function redeliver(
  operations: Operations,
  deadLetters: readonly Outcome[] | 'all-listed',
  onProgress: (count: number) => void,
): Promise<number> {
  const { service, lists } = operations;
  const { value: filter } = operations.filter;
  const isWhole = wanted(filter) === '' && filter.source === undefined && filter.type === undefined;
  if (deadLetters === 'all-listed' && isWhole && filter.destination !== undefined) {
    return (await service.redeliver({ destination: filter.destination })).redelivered;
  }
  const chosen = deadLetters === 'all-listed' ? await lists.all('dead-letters') : deadLetters;
  const ids = chosen.flatMap(({ deadLetterId }) => deadLetterId ?? []);
  let count = 0;
  for (let start = 0; start < ids.length; start += atOnce) {
    count += (await service.redeliver({ ids: ids.slice(start, start + atOnce) })).redelivered;
    onProgress(count);
  }
  return count;
}
