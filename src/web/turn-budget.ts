import { Queue } from '../collections/queue.js';

interface Work {
  readonly bytes: number;
  readonly run: () => void;
}

/**
 * Spreads work over turns of the event loop, in the order in which it came: what is done at once in one
 * turn keeps all else waiting, such as other requests, responses and timers.
 */
export class TurnBudget {
  readonly #bytesPerTurn: number;
  readonly #waiting = new Queue<Work>();
  #bytesLeft: number;
  #isRenewing = false;

  /** How much is done in one turn, in bytes to be processed. */
  constructor(bytesPerTurn: number) {
    this.#bytesPerTurn = bytesPerTurn;
    this.#bytesLeft = bytesPerTurn;
  }

  /** Runs the work now, or in a later turn. Returns whether it has run. */
  run(bytes: number, run: () => void): boolean {
    if (this.#bytesLeft <= 0) {
      this.#waiting.push({ bytes, run });
      return false;
    }
    this.spend(bytes);
    run();
    return true;
  }

  /**
   * Counts bytes that are processed in this turn, beyond those that `run` counts: work may turn out
   * larger, at the latest in the promises that it has resolved. What exceeds this turn is subtracted from
   * the next ones.
   */
  spend(bytes: number): void {
    this.#bytesLeft -= bytes;
    this.#renewSoon();
  }

  #renewSoon(): void {
    if (this.#isRenewing || this.#bytesLeft >= this.#bytesPerTurn) return;
    this.#isRenewing = true;
    setImmediate(() => {
      this.#isRenewing = false;
      this.#bytesLeft = Math.min(this.#bytesLeft + this.#bytesPerTurn, this.#bytesPerTurn);
      this.#runWaiting();
    });
  }

  readonly #runWaiting = (): void => {
    const work = this.#bytesLeft > 0 ? this.#waiting.shift() : undefined;
    if (!work) {
      this.#renewSoon();
      return;
    }
    this.#bytesLeft -= work.bytes;
    afterPromises(this.#runWaiting);
    work.run();
  };
}

/** Calls back in this turn, when nothing is left to do for promises that are resolved. */
function afterPromises(callback: () => void): void {
  // Ticks that are added by a microtask run when there are no more microtasks.
  queueMicrotask(() => process.nextTick(callback));
}
