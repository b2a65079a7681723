import { systemClock, type Clock } from '../clock.js';

export interface RoomLimits {
  /** Of all that is being received, answered or printed. */
  readonly bytes: number;
  /**
   * How long an upload may last while others wait for room, in milliseconds. A request waits at least three
   * times as long.
   */
  readonly patienceMs: number;
}

/** A request that needs memory. */
export interface Guest {
  /** What it may need at most. */
  readonly bytes: number;
  /** There is room for it. Called at once, or later. */
  readonly enter: (place: Place) => void;
  /** There is none: it waited too long, or its upload did while others waited. Called at most once. */
  readonly refuse: () => void;
}

/** The place of a request, until it leaves. */
export interface Place {
  /** Whether it has not entered yet. */
  readonly isWaiting: boolean;
  /** It is received whole, needs this much, and can no longer be refused. */
  readonly settle: (bytes: number) => void;
  /** May be called more than once. */
  readonly leave: () => void;
}

/** Larger ones leave a quarter of the room to smaller ones, which do not wait behind them. */
const smallBytes = 64 * 1024;

interface Waiting {
  readonly enter: () => void;
  readonly since: number;
}

/**
 * Limits the memory of requests in hand. Without room the next ones are not read, so their senders wait;
 * uploads that have stalled are refused for them.
 */
export class Room {
  readonly #limits: RoomLimits;
  readonly #clock: Pick<Clock, 'after' | 'monotonic'>;
  #held = 0;
  /** Large ones that are being received, and since when; the oldest first. */
  readonly #uploads = new Map<Guest, number>();
  /** In order of arrival. */
  readonly #waiting = new Map<Guest, Waiting>();
  #stopTimer: (() => void) | undefined;

  constructor(limits: RoomLimits, clock: Pick<Clock, 'after' | 'monotonic'> = systemClock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get heldBytes(): number {
    return this.#held;
  }

  take(guest: Guest): Place {
    const isLarge = guest.bytes > smallBytes;
    const waiting = this.#waiting;
    let held = 0;
    const hold = (bytes: number): void => {
      const isLess = bytes < held;
      this.#held += bytes - held;
      held = bytes;
      if (isLess) this.#admit();
    };
    const place: Place = {
      get isWaiting() {
        return waiting.has(guest);
      },
      settle: (bytes) => {
        if (isLarge) this.#uploads.delete(guest);
        hold(bytes);
      },
      leave: () => {
        if (isLarge) this.#uploads.delete(guest);
        if (waiting.size > 0) waiting.delete(guest);
        hold(0);
      },
    };
    const enter = (): void => {
      hold(guest.bytes);
      if (isLarge) this.#uploads.set(guest, this.#clock.monotonic());
      guest.enter(place);
    };
    if (this.#fits(guest) && !(isLarge && waiting.size > 0)) enter();
    else this.#wait(guest, enter);
    return place;
  }

  /** For what takes memory whether there is room or not, as output that nobody reads. Returns what frees it. */
  fill(bytes: number): () => void {
    this.#held += bytes;
    return () => {
      this.#held -= bytes;
      this.#admit();
    };
  }

  /** One always fits, whatever its size. */
  #fits({ bytes }: Guest): boolean {
    const limit = bytes > smallBytes ? this.#limits.bytes * 0.75 : this.#limits.bytes;
    return this.#held === 0 || this.#held + bytes <= limit;
  }

  #admit(): void {
    let isFull = false;
    for (const [guest, { enter }] of this.#waiting) {
      const isLarge = guest.bytes > smallBytes;
      if (this.#fits(guest) && !(isLarge && isFull)) {
        this.#waiting.delete(guest);
        enter();
      } else if (isLarge) isFull = true;
      else return;
    }
  }

  #wait(guest: Guest, enter: () => void): void {
    this.#waiting.set(guest, { enter, since: this.#clock.monotonic() });
    this.#stopTimer ??= this.#clock.after(this.#limits.patienceMs / 10, this.#onTimer);
  }

  readonly #onTimer = (): void => {
    this.#stopTimer = undefined;
    const now = this.#clock.monotonic();
    const { patienceMs } = this.#limits;
    for (const [guest, since] of this.#uploads) if (now - since >= patienceMs) guest.refuse();
    for (const [guest, { since }] of this.#waiting) {
      // As long as uploads end or are refused, there is hope.
      if (now - since < 3 * patienceMs || this.#uploads.size > 0) break;
      this.#waiting.delete(guest);
      guest.refuse();
    }
    if (this.#waiting.size === 0) return;
    this.#stopTimer = this.#clock.after(patienceMs / 10, this.#onTimer);
  };
}
