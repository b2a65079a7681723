/** What a destination does when its share changes. */
export interface ShareHolder {
  /** It may send again, after `maySend` was false. */
  readonly onRoom: () => void;
  /** It holds too much: it should drop the events that only wait in memory. */
  readonly onShortage: () => void;
}

const megabyte = 1024 * 1024;
/** After this many attempts in a row without a response a destination is silent; a single one may just be lost. */
const silentAfter = 3;
/** The share of the silent limit that is open to destinations which were tried, and did not respond. */
const triedShare = 0.6;

/**
 * What the events of all destinations hold in memory, in bytes: those that wait there and those in flight.
 * Responsive and silent destinations have a pool each, so however many hang, they take nothing from the others. A
 * destination is silent until its first response, and after a few attempts in a row without one.
 *
 * Each may hold as much as is still free in its pool (a dynamic threshold): a few get all they can use, and
 * many get equal parts. Beyond that, each may have one event in flight up to the limit of the pool, and then they
 * take turns. Of the limit of silent ones, a part is left to those that were not tried yet, since they may well
 * respond.
 */
export class MemoryBudget {
  readonly responsive: MemoryPool;
  readonly silent: MemoryPool;

  constructor(
    responsiveBytes = 24 * megabyte,
    silentBytes = 8 * megabyte,
    silentLimitBytes = 40 * megabyte,
    responsiveLimitBytes = 32 * megabyte,
  ) {
    this.responsive = new MemoryPool(responsiveBytes, responsiveLimitBytes);
    this.silent = new MemoryPool(silentBytes, silentLimitBytes);
  }

  get heldBytes(): number {
    return this.responsive.heldBytes + this.silent.heldBytes;
  }

  /** The share of one more destination, which is silent until it responds. */
  share(holder: ShareHolder): MemoryShare {
    return new MemoryShare(this, holder);
  }
}

/** The memory that some destinations share. */
class MemoryPool {
  readonly #bytes: number;
  /** Beyond this, not even a destination without an event in flight may send one. */
  readonly #limitBytes: number;
  /** Shares that were refused, in this order; each is told when it may send. */
  readonly #refused = new Set<MemoryShare>();
  #held = 0;
  #isWakeDue = false;

  constructor(bytes: number, limitBytes = Infinity) {
    this.#bytes = bytes;
    this.#limitBytes = limitBytes;
  }

  get heldBytes(): number {
    return this.#held;
  }

  get freeBytes(): number {
    return this.#bytes - this.#held;
  }

  /** Whether a destination without an event in flight may send one although the pool is used up. */
  mayExceed(wasTried: boolean): boolean {
    return this.#held < (wasTried ? triedShare : 1) * this.#limitBytes;
  }

  add(bytes: number): void {
    this.#held += bytes;
    if (bytes < 0) this.#wakeSoon();
  }

  refuse(share: MemoryShare): void {
    this.#refused.add(share);
  }

  /** Returns whether it was refused. */
  forget(share: MemoryShare): boolean {
    return this.#refused.delete(share);
  }

  /** Tells them once for everything that is freed in this turn of the event loop. */
  #wakeSoon(): void {
    if (this.#isWakeDue || this.#refused.size === 0) return;
    this.#isWakeDue = true;
    setImmediate(() => {
      this.#isWakeDue = false;
      for (const share of [...this.#refused]) if (share.hasRoom) share.wake();
    });
  }
}

/** What one destination holds of the budget. All numbers are bytes. */
export class MemoryShare {
  readonly #budget: MemoryBudget;
  readonly #holder: ShareHolder;
  #pool: MemoryPool;
  #held = 0;
  #inFlight = 0;
  #wasTried = false;
  /** Attempts in a row without a response. */
  #unanswered = 0;

  constructor(budget: MemoryBudget, holder: ShareHolder) {
    this.#budget = budget;
    this.#holder = holder;
    this.#pool = budget.silent;
  }

  get isResponsive(): boolean {
    return this.#pool === this.#budget.responsive;
  }

  get heldBytes(): number {
    return this.#held;
  }

  /** How much more it may hold; negative if it holds too much by now. */
  get roomBytes(): number {
    return this.#pool.freeBytes - this.#held;
  }

  /** Whether it may send one more event. */
  get hasRoom(): boolean {
    if (this.roomBytes > 0) return true;
    return this.#inFlight === 0 && this.#pool.mayExceed(this.#wasTried && !this.isResponsive);
  }

  /** Whether it may send one more event now; if not, `onRoom` is called when it may. */
  maySend(): boolean {
    if (this.hasRoom) return true;
    this.#pool.refuse(this);
    return false;
  }

  /** Counts an event in flight, at any number of URLs, until the returned function is called. */
  hold(bytes: number): () => void {
    this.#inFlight++;
    this.keep(bytes);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#inFlight--;
      this.keep(-bytes);
    };
  }

  /** Counts events that wait in memory; a negative number when they no longer do. */
  keep(bytes: number): void {
    this.#held += bytes;
    this.#pool.add(bytes);
  }

  /** An attempt has ended, with a response or without one: it may change to the other pool. */
  noteAttempt(hasResponse: boolean): void {
    this.#wasTried = true;
    this.#unanswered = hasResponse ? 0 : this.#unanswered + 1;
    const isResponsive = hasResponse || (this.isResponsive && this.#unanswered < silentAfter);
    if (isResponsive === this.isResponsive) return;
    const wasRefused = this.#pool.forget(this);
    this.#pool.add(-this.#held);
    this.#pool = isResponsive ? this.#budget.responsive : this.#budget.silent;
    this.#pool.add(this.#held);
    if (this.roomBytes < 0) this.#holder.onShortage();
    if (!wasRefused) return;
    if (this.hasRoom) setImmediate(this.#holder.onRoom);
    else this.#pool.refuse(this);
  }

  /** Tells the destination that it may send again. */
  wake(): void {
    this.#pool.forget(this);
    this.#holder.onRoom();
  }

  /** Called when the destination sends nothing more. What is in flight counts until it has ended. */
  close(): void {
    this.#holder.onShortage();
    this.#pool.forget(this);
  }
}
