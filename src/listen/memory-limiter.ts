import { systemClock, type Clock } from '../clock.js';

export interface MemoryLimits {
  /** Limit for all that is being received, answered or printed. */
  readonly bytes: number;
  /**
   * How long an upload may last while other requests wait for memory, in milliseconds. A request that waits is
   * refused after three times as long at the earliest, and not while large uploads are going on.
   */
  readonly uploadTimeoutMs: number;
}

/** What a request of a sender needs before it is read. */
export interface MemoryRequest {
  /** The most that it may need. */
  readonly bytes: number;
  /** There is memory for it. Called at once, or later. */
  readonly grant: (reservation: Reservation) => void;
  /** There is none: it waited too long, or its upload took too long while others waited. An upload ends by `release`. */
  readonly refuse: () => void;
}

/** The memory of one request, from when it is asked for until it is released. */
export interface Reservation {
  /** Whether it has not been granted yet. */
  readonly isWaiting: boolean;
  /** The upload is complete: it takes this many bytes, and can no longer be refused. */
  readonly settle: (bytes: number) => void;
  /** Frees the memory, or ends the wait for it. May be called more than once. */
  readonly release: () => void;
}

/** Larger requests may use three quarters of the memory; smaller ones do not wait behind them. */
const smallBytes = 64 * 1024;

interface Waiting {
  readonly grant: () => void;
  readonly since: number;
}

/**
 * Limits the memory of requests that are not recorded yet. When it is used up, the next requests are not read, so
 * their senders wait; uploads that have stalled are refused in favor of them.
 */
export class MemoryLimiter {
  readonly #limits: MemoryLimits;
  readonly #clock: Pick<Clock, 'after' | 'monotonic'>;
  #held = 0;
  /** Large uploads in progress, and since when; the oldest first. */
  readonly #uploads = new Map<MemoryRequest, number>();
  /** In order of arrival. */
  readonly #waiting = new Map<MemoryRequest, Waiting>();
  #stopTimer: (() => void) | undefined;

  constructor(limits: MemoryLimits, clock: Pick<Clock, 'after' | 'monotonic'> = systemClock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get heldBytes(): number {
    return this.#held;
  }

  reserve(request: MemoryRequest): Reservation {
    const isLarge = request.bytes > smallBytes;
    const waiting = this.#waiting;
    let held = 0;
    const hold = (bytes: number): void => {
      const isLess = bytes < held;
      this.#held += bytes - held;
      held = bytes;
      if (isLess) this.#grantNext();
    };
    const reservation: Reservation = {
      get isWaiting() {
        return waiting.has(request);
      },
      settle: (bytes) => {
        if (isLarge) this.#uploads.delete(request);
        hold(bytes);
      },
      release: () => {
        if (isLarge) this.#uploads.delete(request);
        if (waiting.size > 0) waiting.delete(request);
        hold(0);
      },
    };
    const grant = (): void => {
      hold(request.bytes);
      if (isLarge) this.#uploads.set(request, this.#clock.monotonic());
      request.grant(reservation);
    };
    if (this.#fits(request) && !(isLarge && waiting.size > 0)) grant();
    else this.#wait(request, grant);
    return reservation;
  }

  /**
   * Counts memory that is taken in any case, such as output that nobody reads. Call the returned function once, when
   * it is free.
   */
  count(bytes: number): () => void {
    this.#held += bytes;
    return () => {
      this.#held -= bytes;
      this.#grantNext();
    };
  }

  /** If nothing else is held, a request of any size fits. */
  #fits({ bytes }: MemoryRequest): boolean {
    const limit = bytes > smallBytes ? this.#limits.bytes * 0.75 : this.#limits.bytes;
    return this.#held === 0 || this.#held + bytes <= limit;
  }

  #grantNext(): void {
    let isFull = false;
    for (const [request, { grant }] of this.#waiting) {
      const isLarge = request.bytes > smallBytes;
      if (this.#fits(request) && !(isLarge && isFull)) {
        this.#waiting.delete(request);
        grant();
      } else if (isLarge) isFull = true;
      else return;
    }
  }

  #wait(request: MemoryRequest, grant: () => void): void {
    this.#waiting.set(request, { grant, since: this.#clock.monotonic() });
    this.#stopTimer ??= this.#clock.after(this.#limits.uploadTimeoutMs / 10, this.#onTimer);
  }

  readonly #onTimer = (): void => {
    this.#stopTimer = undefined;
    const now = this.#clock.monotonic();
    const { uploadTimeoutMs } = this.#limits;
    for (const [request, since] of this.#uploads)
      if (now - since >= uploadTimeoutMs) request.refuse();
    for (const [request, { since }] of this.#waiting) {
      // While uploads go on, each will end or be refused, which frees memory.
      if (now - since < 3 * uploadTimeoutMs || this.#uploads.size > 0) break;
      this.#waiting.delete(request);
      request.refuse();
    }
    if (this.#waiting.size === 0) return;
    this.#stopTimer = this.#clock.after(uploadTimeoutMs / 10, this.#onTimer);
  };
}
