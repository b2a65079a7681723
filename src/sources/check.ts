import { isExpansion, isProblem, type Item, type Problem } from '../events/event.js';
import type { Input } from './input.js';
import { fastValidate } from '../events/fast-validate.js';
import { linesOf, readLines, type ReadOptions } from './read.js';

/** A part of a file: how many events and problems it has, and the problems. */
export interface Checked {
  readonly read: number;
  readonly problems: readonly Problem[];
}

/** The problems that `readBatches` finds in an input; valid events are only counted. */
export async function* checkInput(
  input: Input,
  options: Omit<ReadOptions<Item>, 'rest'> = {},
): AsyncGenerator<Checked> {
  const { parse } = options;
  let valid = 0;
  const isDone = (chunk: Buffer, start: number, end: number): boolean => {
    const isEvent = fastValidate(chunk, start, end) !== undefined;
    if (isEvent) valid++;
    return isEvent;
  };
  for await (const { lines, areText } of linesOf(
    input,
    undefined,
    options,
    parse ? undefined : isDone,
  )) {
    for (const batch of readLines<Item>(lines, input.name, undefined, areText, parse)) {
      const items = batch.flatMap((item) => (isExpansion(item) ? item.items : [item]));
      yield { read: items.length, problems: items.filter(isProblem) };
    }
    yield { read: valid, problems: [] };
    valid = 0;
  }
}
