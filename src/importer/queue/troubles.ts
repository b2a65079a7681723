import { UsageError } from '../../errors.js';
import type { Clock } from '../../clock.js';

/** What happens to the server while it is used; one each time it begins and ends. */
export interface QueueTrouble {
  /** The connection is lost or silent, or there again; commands are refused, or accepted again. */
  readonly kind: 'lost' | 'silent' | 'restored' | 'refused' | 'accepted';
  /** One line. */
  readonly message: string;
}

export interface TroublesOptions {
  /** The URL as it may be printed. */
  readonly shown: string;
  readonly clock: Clock;
  readonly onTrouble: (trouble: QueueTrouble) => void;
  /** After so many milliseconds of trouble, nothing is waited for any more. Default: never. */
  readonly patienceMs?: number | undefined;
  /** Called when the patience has ended, with an error of one line. */
  readonly onGivenUp: (error: UsageError) => void;
}

/** Reports each trouble with a server when it begins and when it ends, and ends the waiting for it. */
export class Troubles {
  readonly #options: TroublesOptions;
  #away: 'lost' | 'silent' | undefined;
  #isRefused = false;
  #cancelPatience: (() => void) | undefined;

  constructor(options: TroublesOptions) {
    this.#options = options;
  }

  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** `why` in a few words; '' if it is not known. */
  lost(why: string): void {
    if (this.#away) return;
    this.#away = 'lost';
    const reason = why === '' ? '' : ` (${why})`;
    const { shown } = this.#options;
    this.#tell('lost', `lost the connection to ${shown}${reason}; waiting for it`);
    this.#wait((time) => `there was no connection to ${shown} for ${time}`);
  }

  /** The connection is there, but nothing has come through it for so many milliseconds. */
  silent(forMs: number): void {
    if (this.#away) return;
    this.#away = 'silent';
    const { shown } = this.#options;
    this.#tell('silent', `${shown} has not responded for ${forMs / 1_000} s; waiting for it`);
    this.#wait((time) => `${shown} has not responded for ${time}`, forMs);
  }

  restored(): void {
    if (!this.#away) return;
    const { shown } = this.#options;
    const isLost = this.#away === 'lost';
    this.#away = undefined;
    this.#tell('restored', isLost ? `connected to ${shown} again` : `${shown} responds again`);
    this.#endWait();
  }

  refused(reason: string): void {
    if (this.#isRefused) return;
    this.#isRefused = true;
    const { shown } = this.#options;
    this.#tell('refused', `${shown} refuses commands: ${reason}; trying again each second`);
    this.#wait((time) => `${shown} has refused commands for ${time}: ${reason}`);
  }

  accepted(): void {
    if (!this.#isRefused) return;
    this.#isRefused = false;
    this.#tell('accepted', `${this.#options.shown} accepts commands again`);
    this.#endWait();
  }

  stop(): void {
    this.#cancelPatience?.();
    this.#cancelPatience = undefined;
  }

  #tell(kind: QueueTrouble['kind'], message: string): void {
    this.#options.onTrouble({ kind, message });
  }

  #wait(problem: (time: string) => string, alreadyMs = 0): void {
    const { patienceMs, clock, onGivenUp } = this.#options;
    if (patienceMs === undefined || this.#cancelPatience) return;
    const what = problem(`${patienceMs / 1_000} s`);
    const message = `${what}; run the same command again when that is over`;
    const giveUp = (): void => onGivenUp(new UsageError(message, 'queue_unavailable'));
    const leftMs = patienceMs - alreadyMs;
    this.#cancelPatience = clock.after(leftMs, giveUp, { keepsAlive: false });
  }

  #endWait(): void {
    if (!this.#away && !this.#isRefused) this.stop();
  }
}
