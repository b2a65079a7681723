/** What a destination does about its share. */
export interface ShareHolder {
  /** It was refused, and may send again. */
  readonly onRoom: () => void;
  /** It holds too much: it should drop what it only keeps. */
  readonly onShortage: () => void;
}

const megabyte = 1024 * 1024;
/** So many attempts in a row without a response make a destination silent: one that responds may lose a few. */
const silentAfter = 3;
/** How much of its limit destinations may fill whose attempts got no response. */
const triedPart = 0.6;

/**
 * What the events of all destinations hold in memory, in bytes: those that wait there and those in flight.
 * Destinations whose last attempts got no response have a part of their own, so however many hang, they take
 * nothing from the others.
 *
 * Each may hold as much as is still free in its part (a dynamic threshold): a few get all they can use, and
 * many get equal parts. Beyond that, each may have one event in flight up to the limit of the part, and then they
 * take turns. Of the limit of silent ones, a part is left to those that were not tried yet, since they may well
 * respond.
 */
export class MemoryBudget {
  readonly responsive: MemoryPart;
  readonly silent: MemoryPart;

  constructor(
    responsiveBytes = 24 * megabyte,
    silentBytes = 8 * megabyte,
    mostSilentBytes = 40 * megabyte,
    mostResponsiveBytes = 32 * megabyte,
  ) {
    this.responsive = new MemoryPart(responsiveBytes, mostResponsiveBytes);
    this.silent = new MemoryPart(silentBytes, mostSilentBytes);
  }

  get heldBytes(): number {
    return this.responsive.heldBytes + this.silent.heldBytes;
  }

  /** The share of one more destination, which is silent until it responds. */
  share(holder: ShareHolder): MemoryShare {
    return new MemoryShare(this, holder);
  }
}

class MemoryPart {
  readonly #mostBytes: number;
  /** Beyond this, not even a destination without an event in flight may send one. */
  readonly #limitBytes: number;
  /** Shares that were refused, in this order. */
  readonly #refused = new Set<MemoryShare>();
  #held = 0;
  #isWakeDue = false;

  constructor(mostBytes: number, limitBytes = Infinity) {
    this.#mostBytes = mostBytes;
    this.#limitBytes = limitBytes;
  }

  get heldBytes(): number {
    return this.#held;
  }

  get freeBytes(): number {
    return this.#mostBytes - this.#held;
  }

  mayExceed(wasTried: boolean): boolean {
    return this.#held < (wasTried ? triedPart : 1) * this.#limitBytes;
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

  /** Once for everything that ends in this turn of the event loop. */
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
  #part: MemoryPart;
  #held = 0;
  #inFlight = 0;
  #wasTried = false;
  /** Attempts in a row without a response. */
  #unanswered = 0;

  constructor(budget: MemoryBudget, holder: ShareHolder) {
    this.#budget = budget;
    this.#holder = holder;
    this.#part = budget.silent;
  }

  get isResponsive(): boolean {
    return this.#part === this.#budget.responsive;
  }

  get heldBytes(): number {
    return this.#held;
  }

  /** How much more it may hold; negative if it holds too much by now. */
  get roomBytes(): number {
    return this.#part.freeBytes - this.#held;
  }

  /** Whether it may send one more event. */
  get hasRoom(): boolean {
    if (this.roomBytes > 0) return true;
    return this.#inFlight === 0 && this.#part.mayExceed(this.#wasTried && !this.isResponsive);
  }

  /** The same; `onRoom` is called later if it may not. */
  maySend(): boolean {
    if (this.hasRoom) return true;
    this.#part.refuse(this);
    return false;
  }

  /** Counts an event in flight, at any URL, until the returned function is called. */
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

  /** Counts what waits in memory; negative: no longer. */
  keep(bytes: number): void {
    this.#held += bytes;
    this.#part.add(bytes);
  }

  /** An attempt has ended with a response, or without one. */
  noteAttempt(hasResponse: boolean): void {
    this.#wasTried = true;
    this.#unanswered = hasResponse ? 0 : this.#unanswered + 1;
    const isResponsive = hasResponse || (this.isResponsive && this.#unanswered < silentAfter);
    if (isResponsive === this.isResponsive) return;
    const wasRefused = this.#part.forget(this);
    this.#part.add(-this.#held);
    this.#part = isResponsive ? this.#budget.responsive : this.#budget.silent;
    this.#part.add(this.#held);
    if (this.roomBytes < 0) this.#holder.onShortage();
    if (!wasRefused) return;
    if (this.hasRoom) setImmediate(this.#holder.onRoom);
    else this.#part.refuse(this);
  }

  /** It may send again. */
  wake(): void {
    this.#part.forget(this);
    this.#holder.onRoom();
  }

  /** It sends nothing more. What is in flight counts until it has ended. */
  close(): void {
    this.#holder.onShortage();
    this.#part.forget(this);
  }
}
