import { setImmediate } from 'node:timers/promises';
import type { Event, Problem } from '../../events/event.js';
import type { Range } from '../../input/range.js';
import { readRange } from '../../input/ranges.js';
import { restOf } from '../../ledger/resume.js';
import type { Checkpoint } from '../../ledger/progress.js';

/** The events of the ranges that a thread is given, in the order in which they come. */
export class RangeSource implements AsyncIterable<(Event | Problem)[]> {
  readonly #files: readonly string[];
  readonly #place: Checkpoint;
  readonly #onDone: () => void;
  readonly #ranges: Range[] = [];
  #hasEnded = false;
  #wake: () => void = () => undefined;
  #done = 0;

  /** `place` tells which lines are left; `onDone` is called after the last event of each range. */
  constructor(files: readonly string[], place: Checkpoint, onDone: () => void) {
    this.#files = files;
    this.#place = place;
    this.#onDone = onDone;
  }

  /** Ranges whose last event was taken. */
  get done(): number {
    return this.#done;
  }

  push(range: Range): void {
    this.#ranges.push(range);
    this.#wake();
  }

  /** No more will come. */
  end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<(Event | Problem)[]> {
    for (;;) {
      const range = this.#ranges.shift();
      if (range) {
        for (const batch of this.#read(range)) {
          yield batch;
          // Else nobody hears the answers until the range is over: all of this is at hand at once.
          await setImmediate();
        }
        this.#done++;
        this.#onDone();
      } else {
        if (this.#hasEnded) return;
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    }
  }

  #read(range: Range): Generator<(Event | Problem)[]> {
    const { file } = range;
    const rest = restOf(this.#place, file);
    return readRange(range, this.#files[file]!, rest && ((...line) => rest.takes(...line)));
  }
}
