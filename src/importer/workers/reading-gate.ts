import { withResolvers, type OpenPromise } from '../../with-resolvers.js';

/** Whether the next line may be read, as the host of the thread says; open at first. */
export class ReadingGate {
  #opening: OpenPromise | undefined;
  #isStopped = false;

  /** Undefined while it is open, else a promise that resolves when it opens. */
  room(): Promise<void> | undefined {
    return this.#opening?.promise;
  }

  hold(isHeld: boolean): void {
    if (isHeld && !this.#isStopped) this.#opening ??= withResolvers();
    else this.#open();
  }

  /** Opens it for good: nothing more is read. */
  stop(): void {
    this.#isStopped = true;
    this.#open();
  }

  #open(): void {
    this.#opening?.resolve();
    this.#opening = undefined;
  }
}
