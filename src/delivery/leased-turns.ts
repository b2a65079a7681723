import type { Clock } from '../clock.js';
import type { RemainingTurns, TurnLease } from '../turn-lease.js';
import { LocalLease } from './local-lease.js';

/** Leases asked for and not begun, at first and at most; more are asked for if responses are slow. */
const fewestAhead = 3;
const maxAhead = 8;

/**
 * The turns of a rate that several processes share. The next ones are asked for while the current ones
 * are used, so that events wait for their turns only.
 */
export class LeasedTurns {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #ask: (unused: number) => void;
  readonly #asksAhead: boolean;
  readonly #leases: LocalLease[] = [];
  #asked = 0;
  /** Turns that were too late. */
  #unused = 0;
  /** Turns that are used up before they have come. */
  #skipped = 0;
  /** Leases on their way that are not to be used. */
  #outdated = 0;
  #ahead = fewestAhead;
  #wake: (() => void) | undefined;
  #hasBegun = false;
  #isStopped = false;

  /**
   * `ask` asks for one more lease, and returns turns that were not used, or uses so many more up where the number is
   * negative; `add` is to be called with it.
   * @param asksAhead false for a low rate: turns that nobody uses would hold up the other processes for long
   */
  constructor(ask: (unused: number) => void, clock: Pick<Clock, 'monotonic'>, asksAhead = true) {
    this.#ask = ask;
    this.#clock = clock;
    this.#asksAhead = asksAhead;
  }

  /** Takes the next turn, and returns the milliseconds to wait for it; a promise while there is no turn. */
  turn(): number | Promise<number> {
    if (this.#isStopped) return 0;
    const waitMs = this.#takeTurn();
    if (this.#asksAhead || waitMs === undefined) this.#askAhead();
    return waitMs ?? this.#turnLater();
  }

  skip(turns: number): void {
    this.#skipped += turns;
  }

  add(lease: TurnLease): void {
    this.#asked--;
    if (this.#outdated > 0) {
      this.#outdated--;
      this.#unused += lease.turns;
    } else this.#leases.push(new LocalLease(lease, this.#clock.monotonic()));
    this.#wake?.();
  }

  /** Nobody waits any longer: nothing more is sent. */
  stop(): void {
    this.#isStopped = true;
    this.#wake?.();
  }

  /** Nothing more is sent: returns what is left. */
  end(): RemainingTurns {
    this.stop();
    const now = this.#clock.monotonic();
    for (const lease of this.#leases) this.#skipped -= lease.take(this.#skipped);
    const leases = this.#leases.splice(0).filter(({ count }) => count > 0);
    return {
      leases: leases.map((lease) => lease.toLease(now)),
      unused: Math.max(0, this.#takeUnused() - this.#skipped),
    };
  }

  #takeUnused(): number {
    const unused = this.#unused;
    this.#unused = 0;
    return unused;
  }

  #takeTurn(): number | undefined {
    const now = this.#clock.monotonic();
    for (let lease = this.#leases[0]; lease; lease = this.#leases[0]) {
      this.#skipped -= lease.take(this.#skipped);
      this.#unused += lease.dropLate(now);
      if (lease.count === 0) {
        // It is not the rate that holds up the events.
        this.#ahead = fewestAhead;
        this.#leases.shift();
        continue;
      }
      const at = lease.nextAt;
      lease.take(1);
      if (lease.count === 0) this.#leases.shift();
      return Math.max(0, at - now);
    }
    return undefined;
  }

  async #turnLater(): Promise<number> {
    // The response took longer than the turns of a lease; the first one has to be waited for.
    if (this.#hasBegun) this.#ahead = Math.min(2 * this.#ahead, maxAhead);
    this.#hasBegun = true;
    for (;;) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
      const waitMs = this.#isStopped ? 0 : this.#takeTurn();
      if (this.#asksAhead || waitMs === undefined) this.#askAhead();
      if (waitMs !== undefined) return waitMs;
    }
  }

  #askAhead(): void {
    const begun = this.#leases.length > 0 ? 1 : 0;
    const ahead = this.#asksAhead ? this.#ahead : 1;
    const isShort = (): boolean => this.#asked + this.#leases.length - begun < ahead;
    while (!this.#isStopped && (this.#skipped > 0 || isShort())) {
      const skipped = this.#skipped;
      this.#skipped = 0;
      // Those that are on their way are of before: only the next one is behind what is used up.
      if (skipped > 0) this.#outdated = this.#asked;
      this.#asked++;
      this.#ask(this.#takeUnused() - skipped);
    }
  }
}
