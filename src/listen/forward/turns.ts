import { systemClock } from '../../clock.js';

export interface TurnLimits {
  /** How many requests are with the app at a time. */
  readonly atOnce: number;
  /** How long a request waits while the app answers no other one; in all ten times as long. */
  readonly patienceMs: number;
}

/** Whether a request may go to the app: it has its turn, or waited too long, or its sender has gone. */
export type Turn = 'own' | 'busy' | 'aborted';

/** How many times `patienceMs` a request waits while the app answers others, if slowly. */
const maxWaits = 10;

/**
 * Lets a limited number of requests be with the app, in order of arrival. An app that is slow loses none;
 * behind one that hangs nobody waits for long.
 */
export class Turns {
  readonly #limits: TurnLimits;
  /** Those that wait, the oldest first. */
  readonly #waiting = new Set<(turn: Turn) => void>();
  #taken = 0;
  #answeredAt = -Infinity;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Never rejects. Who has got an own turn must `leave`. */
  take(signal: AbortSignal): Promise<Turn> {
    if (signal.aborted) return Promise.resolve('aborted');
    if (this.#taken < this.#limits.atOnce) {
      this.#taken++;
      return Promise.resolve('own');
    }
    return new Promise((resolve) => {
      const end = (turn: Turn): void => {
        this.#waiting.delete(end);
        signal.removeEventListener('abort', abort);
        stopTimer();
        resolve(turn);
      };
      const abort = (): void => end('aborted');
      const stopTimer = this.#onImpatience(() => end('busy'));
      this.#waiting.add(end);
      signal.addEventListener('abort', abort);
    });
  }

  /** The app has answered one: those that wait may hope. */
  answered(): void {
    this.#answeredAt = systemClock.monotonic();
  }

  /** Passes the turn on to the oldest that waits. */
  leave(): void {
    const [next] = this.#waiting;
    if (next) next('own');
    else this.#taken--;
  }

  /** Calls `giveUp` once; the returned function prevents that. */
  #onImpatience(giveUp: () => void): () => void {
    const { patienceMs } = this.#limits;
    const since = systemClock.monotonic();
    let stop = (): void => undefined;
    const wait = (): void => {
      const now = systemClock.monotonic();
      const end = Math.min(
        Math.max(since, this.#answeredAt) + patienceMs,
        since + maxWaits * patienceMs,
      );
      if (now >= end) giveUp();
      else stop = systemClock.after(Math.ceil(end - now), wait);
    };
    wait();
    return () => stop();
  }
}
