import { systemClock } from '../../clock.js';

export interface AppLimits {
  /** How many requests are with the app at a time. */
  readonly atOnce: number;
  /** How long a request waits while the app answers no other one; ten times this in all. */
  readonly waitMs: number;
}

/** Whether a request may go to the app: it is admitted, or waited too long, or its sender has gone. */
export type Admission = 'admitted' | 'busy' | 'aborted';

/** How many times `waitMs` a request waits while the app answers others, if slowly. */
const maxWaits = 10;

/**
 * Lets a limited number of requests be with the app, in order of arrival. An app that is slow loses none;
 * behind one that hangs nobody waits for long.
 */
export class AppSemaphore {
  readonly #limits: AppLimits;
  /** Those that wait, the oldest first. */
  readonly #waiting = new Set<(admission: Admission) => void>();
  #active = 0;
  #answeredAt = -Infinity;

  constructor(limits: AppLimits) {
    this.#limits = limits;
  }

  /** Never rejects. Who is admitted must `release`. */
  acquire(signal: AbortSignal): Promise<Admission> {
    if (signal.aborted) return Promise.resolve('aborted');
    if (this.#active < this.#limits.atOnce) {
      this.#active++;
      return Promise.resolve('admitted');
    }
    return new Promise((resolve) => {
      const end = (admission: Admission): void => {
        this.#waiting.delete(end);
        signal.removeEventListener('abort', abort);
        stopTimer();
        resolve(admission);
      };
      const abort = (): void => end('aborted');
      const stopTimer = this.#onTimeout(() => end('busy'));
      this.#waiting.add(end);
      signal.addEventListener('abort', abort);
    });
  }

  /** The app has answered one: those that wait get more time. */
  answered(): void {
    this.#answeredAt = systemClock.monotonic();
  }

  /** Admits the oldest that waits. */
  release(): void {
    const [next] = this.#waiting;
    if (next) next('admitted');
    else this.#active--;
  }

  /** Calls `giveUp` once; the returned function prevents that. */
  #onTimeout(giveUp: () => void): () => void {
    const { waitMs } = this.#limits;
    const since = systemClock.monotonic();
    let stop = (): void => undefined;
    const wait = (): void => {
      const now = systemClock.monotonic();
      const end = Math.min(Math.max(since, this.#answeredAt) + waitMs, since + maxWaits * waitMs);
      if (now >= end) giveUp();
      else stop = systemClock.after(Math.ceil(end - now), wait);
    };
    wait();
    return () => stop();
  }
}
