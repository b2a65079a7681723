import type { Input } from '../sources/input.js';
import type { BrokenInputError } from '../sources/broken-input.js';
import type { ReadOptions } from '../sources/read.js';
import { readRows } from './read-rows.js';
import type { ListOptions } from './row.js';
import type { AudienceStore, PlanOptions } from './store.js';

/** What a list has besides its rows. */
export interface Staged {
  /** Set if the list is truncated. */
  readonly broken: BrokenInputError | undefined;
  /**
   * Users who are not in the list have left it, unless an invalid line, or the missing end of the list,
   * may be about them.
   */
  readonly removals: PlanOptions['removals'];
}

/** Reads a list into the store for comparison. @throws UsageError when CSV has no usable header. */
export async function stageList(
  store: AudienceStore,
  input: Input,
  list: ListOptions,
  options: Pick<ReadOptions, 'stdin' | 'signal'>,
): Promise<Staged> {
  let broken: BrokenInputError | undefined;
  const onBroken = (error: BrokenInputError): void => {
    broken = error;
  };
  for await (const items of readRows(input, list, { ...options, onBroken })) store.stage(items);
  const isWhole = broken === undefined && !store.hasUnreadableLines();
  return { broken, removals: list.kind === 'trait' ? 'none' : isWhole ? 'sent' : 'withheld' };
}
