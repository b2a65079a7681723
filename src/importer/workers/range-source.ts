import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Item } from '../../events/event.js';
import type { ParseLine } from '../../sources/read.js';
import type { Range } from '../../sources/range.js';
import { readRange } from '../../sources/ranges.js';
import { restOf } from '../../ledger/resume.js';
import type { Checkpoint } from '../../ledger/progress.js';

/** The events of the ranges that a thread gets, in order of arrival. */
export class RangeSource implements AsyncIterable<Item[]> {
  readonly #files: readonly string[];
  readonly #checkpoint: Checkpoint;
  readonly #onDone: () => void;
  readonly #parse: ParseLine<Item> | undefined;
  readonly #ranges: Range[] = [];
  #hasEnded = false;
  #wake: () => void = () => undefined;
  #done = 0;

  /** `checkpoint`: which lines are left. `onDone` is called after the last event of each range. */
  constructor(
    files: readonly string[],
    checkpoint: Checkpoint,
    onDone: () => void,
    parse?: ParseLine<Item>,
  ) {
    this.#parse = parse;
    this.#files = files;
    this.#checkpoint = checkpoint;
    this.#onDone = onDone;
  }

  /** How many ranges were read to their last event. */
  get done(): number {
    return this.#done;
  }

  push(range: Range): void {
    this.#ranges.push(range);
    this.#wake();
  }

  /** No more ranges will follow. */
  end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item[]> {
    for (;;) {
      const range = this.#ranges.shift();
      if (range) {
        for (const batch of this.#read(range)) {
          const turn = { hasPassed: false };
          setImmediate(() => (turn.hasPassed = true)).unref();
          yield batch;
          // Who sends the batch may never wait: no response is read then until the range is over.
          if (!turn.hasPassed) await nextTurn();
        }
        this.#done++;
        this.#onDone();
      } else {
        if (this.#hasEnded) return;
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    }
  }

  #read(range: Range): Generator<Item[]> {
    const { file } = range;
    const rest = restOf(this.#checkpoint, file);
    const takes = rest && ((...line: Parameters<typeof rest.takes>) => rest.takes(...line));
    return readRange(range, this.#files[file]!, takes, this.#parse);
  }
}
