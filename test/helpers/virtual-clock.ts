import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, TimerOptions } from '../../src/clock.js';

interface Timer {
  readonly at: number;
  /** Whether it keeps a process alive. */
  readonly keepsAlive: boolean;
  readonly callback: () => void;
}

/** A clock that moves only by its methods, so tests of long waits are fast. */
export class VirtualClock implements Clock {
  readonly startedAt: number;
  /** Monotonic; the time of day is `#offset` ahead of it. */
  #now = 0;
  #offset: number;
  #timers: Timer[] = [];
  #waiters: { count: number; resolve: () => void }[] = [];

  /** @param startedAt Milliseconds since 1970. */
  constructor(startedAt = Date.parse('2026-11-20T08:30:00.000Z')) {
    this.startedAt = startedAt;
    this.#offset = startedAt;
  }

  now(): number {
    return this.#now + this.#offset;
  }

  monotonic(): number {
    return this.#now;
  }

  /** Sets the time of day forward or back, as a correction of the system's clock does: no timer moves. */
  set(byMs: number): void {
    this.#offset += byMs;
  }

  after(delayMs: number, callback: () => void, options: TimerOptions = {}): () => void {
    const { keepsAlive = true } = options;
    const timer = { at: this.#now + Math.max(delayMs, 0), keepsAlive, callback };
    this.#timers.push(timer);
    this.#waiters = this.#waiters.filter(({ count, resolve }) => {
      if (this.waits.length >= count) resolve();
      return this.waits.length < count;
    });
    return () => (this.#timers = this.#timers.filter((other) => other !== timer));
  }

  /** Milliseconds since the clock was made. */
  get elapsedMs(): number {
    return this.#now;
  }

  /** How long until each timer that is set, soonest first; without those that keep no process alive. */
  get waits(): number[] {
    return this.#waits(true);
  }

  /** How long until each timer that keeps no process alive: deadlines and idle connections. */
  get backgroundWaits(): number[] {
    return this.#waits(false);
  }

  #waits(keepsAlive: boolean): number[] {
    const timers = this.#timers.filter((timer) => timer.keepsAlive === keepsAlive);
    return timers.map(({ at }) => at - this.#now).sort((a, b) => a - b);
  }

  /** Resolves when this many timers of `waits` are set at the same time. */
  timers(count: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.waits.length >= count) resolve();
      else this.#waiters.push({ count, resolve });
    });
  }

  /** Advances the time; timers fire at their times, in order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (let timer = this.#nextUntil(end); timer; timer = this.#nextUntil(end)) this.#fire(timer);
    this.#now = end;
  }

  /** Goes to the next timer, whenever one is set, until `goal` is reached. */
  async runUntil<T>(goal: Promise<T>): Promise<T> {
    const state = { isReached: false };
    const watched = goal.finally(() => (state.isReached = true));
    for (let fired = 1; ; fired++) {
      await Promise.race([watched, this.timers(1)]);
      // Timers that set the next one for ever would leave no turn to the timeout of the test.
      if (fired % 1_000 === 0) await nextTurn();
      if (state.isReached) return watched;
      if (this.waits.length > 0) this.#fire(this.#nextUntil(Infinity)!);
    }
  }

  #nextUntil(end: number): Timer | undefined {
    const due = this.#timers.filter(({ at }) => at <= end);
    return due.sort((a, b) => a.at - b.at)[0];
  }

  #fire(timer: Timer): void {
    this.#timers = this.#timers.filter((other) => other !== timer);
    this.#now = Math.max(this.#now, timer.at);
    timer.callback();
  }
}
