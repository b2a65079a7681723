import type { Clock } from '../../clock.js';
import { readJsonFile, writeJsonFile } from '../../storage/json-file.js';
import type { Awaitable } from '../store/awaitable.js';

/** At most one alert of a destination is sent within this time, over all processes. */
export const alertEveryMs = 60_000;

/** What the last alerts about a destination said. Times are milliseconds since 1970. */
export interface AlertState {
  /** Whether it was reported as down, and not as back since. */
  readonly isDown: boolean;
  /** Since when it is down, or back; 0 before the first alert. */
  readonly since: number;
  /** The id of the newest dead letter that needs no alert. */
  readonly lastDeadLetter: number;
  /** The end of the client certificate that was reported last; 0 before the first. */
  readonly certificateEnd: number;
  /** When the last alert was sent; 0 before the first. */
  readonly at: number;
  /** An earlier process has sent it: that it is down may be reported once more. Default false. */
  readonly isRestored?: boolean;
}

/** What was reported, over restarts and all instances of a service. */
export interface AlertStates {
  /** By destination. */
  read(): Awaitable<ReadonlyMap<string, AlertState>>;
  /** Adds that of a destination that has none. */
  begin(destination: string, lastDeadLetter: number): Awaitable<void>;
  /**
   * Whether this process is to send the next alert: `known` still holds, and the last alert was sent a minute ago. Of
   * several processes that ask, one is.
   */
  claim(destination: string, known: AlertState): Awaitable<boolean>;
  /** An alert was sent: from now on this holds. */
  set(destination: string, reported: AlertState): Awaitable<void>;
  /** Makes durable what was set, as far as that is possible now. */
  flush(): Awaitable<void>;
}

/** @param now in milliseconds since 1970; a time that is far ahead is from before the clock was set back */
export function mayAlert({ at }: AlertState, now: number): boolean {
  return at <= now - alertEveryMs || at > now + alertEveryMs;
}

export function firstAlertState(lastDeadLetter: number): AlertState {
  return { isDown: false, since: 0, lastDeadLetter, certificateEnd: 0, at: 0 };
}

/**
 * In a JSON file beside the store, for one process. What cannot be read counts as not reported, and what cannot be
 * written is reported once more after a restart: neither keeps the service from forwarding.
 */
export class AlertStateFile implements AlertStates {
  readonly #path: string;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #states: Map<string, AlertState>;
  #isWritten = true;

  constructor(path: string, clock: Pick<Clock, 'now'>) {
    this.#path = path;
    this.#clock = clock;
    this.#states = readStates(path);
  }

  read(): ReadonlyMap<string, AlertState> {
    return this.#states;
  }

  begin(destination: string, lastDeadLetter: number): void {
    if (!this.#states.has(destination)) this.set(destination, firstAlertState(lastDeadLetter));
  }

  claim(destination: string, known: AlertState): boolean {
    return this.#states.get(destination) === known && mayAlert(known, this.#clock.now());
  }

  set(destination: string, reported: AlertState): void {
    this.#states.set(destination, reported);
    this.#isWritten = false;
  }

  flush(): void {
    if (this.#isWritten) return;
    try {
      writeJsonFile(this.#path, Object.fromEntries(this.#states));
      this.#isWritten = true;
    } catch {
      // With the next flush.
    }
  }
}

function readStates(path: string): Map<string, AlertState> {
  try {
    const states = (readJsonFile(path) ?? {}) as Readonly<Record<string, AlertState>>;
    return new Map(
      Object.entries(states).map(([name, state]) => [
        name,
        { ...firstAlertState(0), ...state, isRestored: true },
      ]),
    );
  } catch {
    return new Map();
  }
}
