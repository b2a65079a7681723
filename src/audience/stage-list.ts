import type { Input } from '../input/input.js';
import type { BrokenInputError, ReadOptions } from '../input/read.js';
import { readRows } from './read-rows.js';
import type { ListOptions } from './row.js';
import type { AudienceStore, PlanOptions } from './store.js';

/** What is known of a list beside its rows. */
export interface Staged {
  /** Set where the list broke off. */
  readonly broken: BrokenInputError | undefined;
  /**
   * Who is not in the list has left it, but not where a line that could not be read, or what is missing
   * at the end, may be about that user.
   */
  readonly leavers: PlanOptions['leavers'];
}

/** Reads a list into the store, to be compared there. @throws UsageError when CSV has no usable header. */
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
  const isWhole = broken === undefined && !store.mayHideUsers();
  return { broken, leavers: list.kind === 'trait' ? 'none' : isWhole ? 'sent' : 'withheld' };
}
