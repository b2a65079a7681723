/**
 * Counts what a target holds, so that reading waits while it is full. Active items use connections;
 * waiting ones only memory, until their retry is due.
 */
export class Gate {
  #active = 0;
  #waiting = 0;
  readonly #maxActive: number;
  readonly #maxWaiting: number;
  #room: PromiseWithResolvers | undefined;
  #empty: PromiseWithResolvers | undefined;

  constructor(maxActive: number, maxWaiting: number) {
    this.#maxActive = maxActive;
    this.#maxWaiting = maxWaiting;
  }

  /** Undefined while there is room, else a promise for it. */
  room(): Promise<void> | undefined {
    if (this.#hasRoom()) return undefined;
    this.#room ??= promiseWithResolvers();
    return this.#room.promise;
  }

  /** Resolves when nothing is held any more. */
  async empty(): Promise<void> {
    if (this.#active + this.#waiting === 0) return;
    this.#empty ??= promiseWithResolvers();
    await this.#empty.promise;
  }

  enter(): void {
    this.#active++;
  }

  /** One item goes from one state to another; `ended` items are held no more. */
  move(from: 'active' | 'waiting', to: 'active' | 'waiting' | 'ended'): void {
    if (from === 'active') this.#active--;
    else this.#waiting--;
    if (to === 'active') this.#active++;
    else if (to === 'waiting') this.#waiting++;
    this.#wake();
  }

  #wake(): void {
    if (this.#room && this.#hasRoom()) {
      this.#room.resolve();
      this.#room = undefined;
    }
    if (this.#empty && this.#active + this.#waiting === 0) {
      this.#empty.resolve();
      this.#empty = undefined;
    }
  }

  #hasRoom(): boolean {
    return this.#active < this.#maxActive && this.#waiting < this.#maxWaiting;
  }
}

interface PromiseWithResolvers {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

/** `Promise.withResolvers` came with Node 22. */
function promiseWithResolvers(): PromiseWithResolvers {
  let resolve!: () => void;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}
