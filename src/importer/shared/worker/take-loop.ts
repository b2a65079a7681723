import { systemClock, type Clock } from '../../../clock.js';
import type { ItemKind, TakenItem } from '../item.js';
import type { RunStore } from '../run-store.js';

export interface TakeLoopOptions {
  readonly server: Pick<RunStore, 'take' | 'giveBack'>;
  readonly run: string;
  readonly kind: ItemKind;
  /** The sum of the weights of the items in hand, at most. */
  readonly concurrency: number;
  /** How many items in hand, whatever their weight. Default: no limit. */
  readonly maxItems?: number | undefined;
  /** How much of `concurrency` an item takes, above 0 and at most 1. Default: 1. */
  readonly weightOf?: (item: TakenItem) => number;
  /** Resolves when the item has ended; never throws. */
  readonly work: (item: TakenItem) => Promise<void>;
  /** An item has ended, in the store, too. */
  readonly onEnded: () => void;
  /** The store refuses what cannot be repeated. */
  readonly onFailure: (error: unknown) => void;
  /** Default: the system's. */
  readonly clock?: Clock;
}

/** What others give back, and retries that are due, are found by then. */
const pollMs = 500;

/** Takes the items of one queue, as many as `concurrency` allows, until it is closed. */
export class TakeLoop {
  readonly #options: TakeLoopOptions;
  readonly #clock: Clock;
  /** Weights, by the promise of the end of the item. */
  readonly #inHand = new Map<Promise<void>, number>();
  #wake: () => void = () => undefined;
  #isClosed = false;
  readonly #ended: Promise<void>;

  constructor(options: TakeLoopOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#ended = this.#run().catch((error: unknown) => options.onFailure(error));
  }

  /** There may be something to take. */
  wake(): void {
    this.#wake();
  }

  /** Takes nothing more; resolves when the items in hand have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    await this.#ended;
    await Promise.all(this.#inHand.keys());
  }

  async #run(): Promise<void> {
    const { server, run, kind } = this.#options;
    while (!this.#isClosed) {
      const free = this.#free;
      const items = free > 0 ? await server.take(run, kind, free) : [];
      for (const item of items) this.#begin(item);
      if (items.length < free || free <= 0) await this.#pause(free > 0);
    }
  }

  /** How many items may be taken. The weight of an item is known only then, so each needs room for a whole one. */
  get #free(): number {
    const { concurrency, maxItems = Infinity } = this.#options;
    const weight = [...this.#inHand.values()].reduce((sum, each) => sum + each, 0);
    return Math.min(Math.floor(concurrency - weight), maxItems - this.#inHand.size);
  }

  /** One that was taken while this was closed goes through the same hands, which give it back. */
  #begin(item: TakenItem): void {
    const { work, weightOf = () => 1 } = this.#options;
    const ended = work(item).finally(() => {
      this.#inHand.delete(ended);
      this.#options.onEnded();
      this.#wake();
    });
    this.#inHand.set(ended, weightOf(item));
  }

  /** Until something may have come, or an item has ended. */
  async #pause(polls: boolean): Promise<void> {
    if (this.#isClosed) return;
    await new Promise<void>((resolve) => {
      const cancel = polls ? this.#clock.after(pollMs, resolve) : () => undefined;
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
    this.#wake = () => undefined;
  }
}
