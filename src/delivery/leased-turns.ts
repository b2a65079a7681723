import type { Clock } from '../clock.js';
import {
  turnsPerLease,
  type LeaseRequest,
  type RemainingTurns,
  type TurnLease,
} from '../turn-lease.js';
import { LocalLease } from './local-lease.js';

/** Leases asked for and not begun: at first, and at most if responses are slow. */
const fewestAhead = 1;
const maxAhead = 8;
/** Below so many turns per second, none is asked for ahead: one that nobody uses would hold up the other processes. */
const lowRate = 20;

/** Leases turns. Resolves to undefined if nobody needs them any more; never rejects. */
export type AskForTurns = (request: LeaseRequest) => Promise<TurnLease | undefined>;

interface Waiter {
  readonly wait: Promise<number>;
  readonly resolve: (waitMs: number) => void;
}

/**
 * The turns of a rate that several processes share. The next ones are asked for while the current ones
 * are used, so that events wait for their turns only.
 */
export class LeasedTurns {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #ask: AskForTurns;
  readonly #size: number;
  readonly #asksAhead: boolean;
  /** In the order of their times. */
  readonly #leases: LocalLease[] = [];
  /** Requests without a response yet. */
  readonly #pending = new Set<LeaseRequest>();
  /** Pending requests whose turns are too early to be used: see `skip`. */
  readonly #outdated = new Set<LeaseRequest>();
  /** Turns that were too late. */
  #unused = 0;
  /** Turns that are used up before they have come. */
  #skipped = 0;
  /** Turns that will be taken, as far as known. */
  #wanted = 0;
  #ahead = fewestAhead;
  readonly #waiting: Waiter[] = [];
  #hasBegun = false;
  #isStopped = false;

  constructor(ask: AskForTurns, perSecond: number, clock: Pick<Clock, 'monotonic'>) {
    this.#ask = ask;
    this.#clock = clock;
    this.#size = turnsPerLease(perSecond);
    this.#asksAhead = perSecond >= lowRate;
  }

  /**
   * Takes the next turn, and returns the milliseconds to wait for it; a promise while there is no turn. Who has asked
   * first gets the first one.
   *
   * @param wanted how many turns will be taken, this one and those already waited for included; no more are asked for.
   *   Default: no limit
   */
  turn(wanted = Infinity): number | Promise<number> {
    if (this.#isStopped) return 0;
    this.#wanted = wanted;
    return this.#next() ?? this.#turnLater();
  }

  /** The turn that `turn` has promised goes to who waits next; this one gets 0 at once. */
  withdraw(wait: Promise<number>): void {
    const index = this.#waiting.findIndex((waiter) => waiter.wait === wait);
    if (index !== -1) this.#waiting.splice(index, 1)[0]!.resolve(0);
  }

  /** Uses up so many turns more, also those that are not leased yet. */
  skip(turns: number): void {
    this.#skipped += turns;
  }

  /** Nobody waits any longer: nothing more is sent. */
  stop(): void {
    this.#isStopped = true;
    for (const { resolve } of this.#waiting.splice(0)) resolve(0);
  }

  /** Removes the turns that are in hand and returns them, to be used by others. */
  release(): RemainingTurns {
    const now = this.#clock.monotonic();
    for (const lease of this.#leases) this.#skipped -= lease.take(this.#skipped);
    const leases = this.#leases.splice(0).filter(({ count }) => count > 0);
    return {
      leases: leases.map((lease) => lease.toLease(now)),
      unused: Math.max(0, this.#takeUnused() - this.#skipped),
    };
  }

  async #request(request: LeaseRequest): Promise<void> {
    this.#pending.add(request);
    const lease = await this.#ask(request);
    this.#pending.delete(request);
    const isOutdated = this.#outdated.delete(request);
    if (!lease) return;
    if (isOutdated) this.#unused += lease.turns;
    else {
      this.#leases.push(new LocalLease(lease, this.#clock.monotonic()));
      // What another job has left may be earlier than the leases in hand.
      this.#leases.sort((a, b) => a.nextAt - b.nextAt);
    }
    this.#giveTurns();
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
      this.#wanted--;
      return Math.max(0, at - now);
    }
    return undefined;
  }

  #turnLater(): Promise<number> {
    // The response took longer than the turns of a lease; the first one has to be waited for.
    if (this.#hasBegun && this.#waiting.length === 0)
      this.#ahead = Math.min(2 * this.#ahead, maxAhead);
    this.#hasBegun = true;
    let resolve!: Waiter['resolve'];
    const wait = new Promise<number>((resolveWait) => (resolve = resolveWait));
    this.#waiting.push({ wait, resolve });
    return wait;
  }

  #giveTurns(): void {
    while (this.#waiting.length > 0) {
      const waitMs = this.#next();
      if (waitMs === undefined) return;
      this.#waiting.shift()!.resolve(waitMs);
    }
  }

  /** Takes the next turn if there is one, and asks for more. */
  #next(): number | undefined {
    const waitMs = this.#takeTurn();
    if (this.#asksAhead || waitMs === undefined) this.#askAhead();
    return waitMs;
  }

  #askAhead(): void {
    while (!this.#isStopped) {
      const missing = this.#missing();
      if (missing <= 0) return;
      const skipped = this.#skipped;
      this.#skipped = 0;
      // What is on its way is from before: only the next lease comes behind what is used up.
      if (skipped > 0) for (const request of this.#pending) this.#outdated.add(request);
      const unused = this.#takeUnused() - skipped;
      void this.#request({ turns: Math.min(missing, this.#size), unused });
    }
  }

  /** How many turns to ask for: enough for the current lease and `#ahead` full ones after it, but no more than are wanted. */
  #missing(): number {
    if (this.#skipped > 0) return this.#size;
    const inHand = this.#leases.reduce((sum, { count }) => sum + count, 0);
    const pending = [...this.#pending].reduce((sum, { turns }) => sum + turns, 0);
    const current = this.#leases[0]?.count ?? 0;
    const ahead = (this.#asksAhead ? this.#ahead : 1) * this.#size;
    return Math.min(current + ahead, this.#wanted) - inHand - pending;
  }
}
