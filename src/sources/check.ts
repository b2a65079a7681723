import { isProblem, type Problem } from '../events/event.js';
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
  options: Omit<ReadOptions, 'rest'> = {},
): AsyncGenerator<Checked> {
  let valid = 0;
  const isDone = (chunk: Buffer, start: number, end: number): boolean => {
    const isEvent = fastValidate(chunk, start, end) !== undefined;
    if (isEvent) valid++;
    return isEvent;
  };
  for await (const { lines, areText } of linesOf(input, undefined, options, isDone)) {
    for (const batch of readLines(lines, input.name, undefined, areText)) {
      yield { read: batch.length, problems: batch.filter(isProblem) };
    }
    yield { read: valid, problems: [] };
    valid = 0;
  }
}
