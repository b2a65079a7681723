import type { Clock } from '../clock.js';

/** A rate: `turn` reserves the next turn, and returns the milliseconds to wait for it; 0 is now. */
export interface Rate {
  /**
   * A promise if the wait is not known yet.
   * @param wanted how many turns will be taken soon, this one included; a rate that is leased asks for no more. Default:
   *   unknown, no limit
   */
  turn(wanted?: number): number | Promise<number>;
  /** Uses up so many turns more, without a wait: what went in the last turn counts as several. */
  skip(turns: number): void;
}

/** Gives the turns of a rate to the attempts at one URL. A turn that nothing is sent in is lost, never saved up. */
export class EndpointPace {
  readonly #rate: Rate;
  readonly #clock: Pick<Clock, 'after' | 'monotonic'>;
  readonly #onTurn: () => void;
  #isTurn = false;
  #isAwaited = false;
  #isClosed = false;
  #cancel: (() => void) | undefined;

  /** `onTurn` is called when a turn has come that `isTurn` was asked for. */
  constructor(rate: Rate, clock: Pick<Clock, 'after' | 'monotonic'>, onTurn: () => void) {
    this.#rate = rate;
    this.#clock = clock;
    this.#onTurn = onTurn;
  }

  /** Whether an attempt may begin now; if not, `onTurn` follows. */
  isTurn(): boolean {
    if (this.#isTurn) return true;
    if (this.#isAwaited || this.#isClosed) return false;
    const wait = this.#rate.turn();
    if (typeof wait !== 'number') void wait.then((waitMs) => this.#await(waitMs));
    else if (wait <= 0) this.#isTurn = true;
    else this.#await(wait);
    this.#isAwaited = !this.#isTurn;
    return this.#isTurn;
  }

  /** The turn was used, by a request with so many events; 0: it is given up. */
  endTurn(events: number): void {
    if (this.#isTurn && events > 1) this.#rate.skip(events - 1);
    this.#isTurn = false;
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }

  #await(waitMs: number): void {
    this.#awaitUntil(this.#clock.monotonic() + waitMs);
  }

  #awaitUntil(at: number): void {
    if (this.#isClosed) return;
    const waitMs = at - this.#clock.monotonic();
    this.#cancel = this.#clock.after(waitMs, () => {
      // A timer may fire early, since it truncates its delay to whole milliseconds.
      if (at - this.#clock.monotonic() >= nearMs) this.#awaitUntil(at);
      else this.#begin();
    });
  }

  #begin(): void {
    this.#isAwaited = false;
    this.#isTurn = true;
    this.#onTurn();
  }
}

/** A timer takes at least a millisecond, so what is nearer than half of one is now. */
const nearMs = 0.5;
