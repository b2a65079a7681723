import { isExpansion, isProblem, type Event, type Item, type Problem } from '../events/event.js';
import type { Transform } from '../events/transform.js';
import type { Input } from './input.js';
import { fastValidate } from '../events/fast-validate.js';
import { linesOf, readLines, type ReadOptions } from './read.js';

/** A part of a file: how many events and problems it has, and the problems. */
export interface Checked {
  readonly read: number;
  readonly problems: readonly Problem[];
  /** What a transform has made of the lines. */
  readonly made?: readonly Event[];
}

/** The problems that `readBatches` finds in an input; valid events are only counted. */
export async function* checkInput(
  input: Input,
  options: Omit<ReadOptions<Item>, 'rest'> & { readonly transform?: Transform | undefined } = {},
): AsyncGenerator<Checked> {
  const { parse, transform } = options;
  let valid = 0;
  const isDone = (chunk: Buffer, start: number, end: number): boolean => {
    const isValid = fastValidate(chunk, start, end) !== undefined;
    if (isValid) valid++;
    return isValid;
  };
  for await (const { lines, areText } of linesOf(
    input,
    undefined,
    options,
    parse || transform ? undefined : isDone,
  )) {
    for (const batch of readLines<Item>(lines, input.name, undefined, areText, parse)) {
      const items = batch.flatMap((item) => (isExpansion(item) ? item.items : [item]));
      if (transform) {
        const made: (Event | Problem)[] = [];
        for (const item of items) made.push(...(await transform(item)));
        const [problems, events] = [made.filter(isProblem), made.filter(isEvent)];
        yield { read: made.length, problems, made: events };
      } else {
        yield { read: items.length, problems: items.filter(isProblem) };
      }
    }
    yield { read: valid, problems: [] };
    valid = 0;
  }
}

function isEvent(item: Event | Problem): item is Event {
  return !isProblem(item);
}
