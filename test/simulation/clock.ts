import type { Clock, TimerOptions } from '../../src/clock.js';

interface Timer {
  readonly at: number;
  /** Timers of the same time fire in the order in which they were set. */
  readonly order: number;
  callback: (() => void) | undefined;
}

/** The time of a simulated world: it moves only from one timer to the next. */
export class WorldClock {
  #heap: Timer[] = [];
  #order = 0;
  #now = 0;
  /** What a clock on the wall of the machine shows beyond the time of the world. */
  #aheadMs: number;

  /** @param startedAt Milliseconds since 1970. */
  constructor(startedAt: number) {
    this.#aheadMs = startedAt;
  }

  /** Milliseconds since the world began. */
  get elapsedMs(): number {
    return this.#now;
  }

  /** As the clock on the wall shows it, milliseconds since 1970. */
  get wallMs(): number {
    return this.#now + this.#aheadMs;
  }

  /** Sets the clock on the wall forth or back. */
  jump(byMs: number): void {
    this.#aheadMs += byMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const at = this.#now + Math.max(delayMs, 0);
    const timer: Timer = { at, order: this.#order++, callback };
    this.#add(timer);
    return () => (timer.callback = undefined);
  }

  /** Goes to the next timer up to this time, and fires it; false when there is none. */
  step(untilMs: number): boolean {
    for (let next = this.#heap[0]; next && next.at <= untilMs; next = this.#heap[0]) {
      this.#removeFirst();
      if (!next.callback) continue;
      this.#now = next.at;
      next.callback();
      return true;
    }
    this.#now = Math.max(this.#now, untilMs);
    return false;
  }

  #add(timer: Timer): void {
    const heap = this.#heap;
    let index = heap.push(timer) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(timer, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = timer;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
  }
}

function isBefore(one: Timer, other: Timer): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** The clock of one process in a world. When the process ends, none of its timers fires anymore. */
export class ProcessClock implements Clock {
  /** How many timers that keep a process alive are set. */
  timers = 0;
  readonly #world: WorldClock;
  readonly #startedAt: number;
  readonly #timers = new Set<() => void>();
  #isEnded = false;

  constructor(world: WorldClock) {
    this.#world = world;
    this.#startedAt = world.elapsedMs;
  }

  now(): number {
    return Math.floor(this.#world.wallMs);
  }

  monotonic(): number {
    return this.#world.elapsedMs - this.#startedAt;
  }

  after(delayMs: number, callback: () => void, options: TimerOptions = {}): () => void {
    if (this.#isEnded) return () => undefined;
    const counts = options.keepsAlive === false ? 0 : 1;
    this.timers += counts;
    const forget = (): void => {
      if (this.#timers.delete(cancel)) this.timers -= counts;
    };
    const cancelTimer = this.#world.after(delayMs, () => {
      forget();
      callback();
    });
    const cancel = (): void => {
      forget();
      cancelTimer();
    };
    this.#timers.add(cancel);
    return cancel;
  }

  /** The process is gone. */
  end(): void {
    this.#isEnded = true;
    for (const cancel of [...this.#timers]) cancel();
  }
}
