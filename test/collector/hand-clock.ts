import type { Clock } from '../../src/clock.js';

/** A clock that stands still until it is moved by hand. */
export class HandClock implements Clock {
  #now = Date.parse('2026-11-20T08:30:00.000Z');
  #timers: { at: number; callback: () => void }[] = [];
  #waiters: { count: number; resolve: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { at: this.#now + delayMs, callback };
    this.#timers.push(timer);
    this.#waiters = this.#waiters.filter(({ count, resolve }) => {
      if (this.#timers.length >= count) resolve();
      return this.#timers.length < count;
    });
    return () => (this.#timers = this.#timers.filter((other) => other !== timer));
  }

  /** How long until each timer that is set, in milliseconds, soonest first. */
  get waits(): number[] {
    return this.#timers.map(({ at }) => at - this.#now).sort((a, b) => a - b);
  }

  /** Resolves when so many timers are set. */
  timers(count: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#timers.length >= count) resolve();
      else this.#waiters.push({ count, resolve });
    });
  }

  advance(ms: number): void {
    this.#now += ms;
    const due = this.#timers.filter(({ at }) => at <= this.#now).sort((a, b) => a.at - b.at);
    this.#timers = this.#timers.filter(({ at }) => at > this.#now);
    for (const { callback } of due) callback();
  }
}
