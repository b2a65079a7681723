import { LoadShare, type LoadPools } from './load-share.js';
import { MemoryPool } from './memory-pool.js';

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
/** Of what may be read from a store, what is open to silent ones. */
const silentLoadShare = 0.5;

/**
 * What the events of all destinations hold in memory, in bytes: those that wait there and those in flight.
 * Responsive and silent destinations have a pool each, so however many hang, they take nothing from the others. A
 * destination is silent until its first response, and after a few attempts in a row without one.
 *
 * Each may hold as much as is still free in its pool (a dynamic threshold): a few get all they can use, and
 * many get equal parts. Beyond that, each may have one event in flight up to the limit of the pool, and then they
 * take turns. Of the limit of silent ones, a part is left to those that were not tried yet, since they may well
 * respond.
 *
 * What a lane reads from its store in blocks (`LoadShare`) has a limit of its own: blocks that wait would otherwise
 * leave no room to send their events, and so never end.
 */
export class MemoryBudget {
  readonly responsive: MemoryPool;
  readonly silent: MemoryPool;
  readonly loads: LoadPools;

  constructor(
    responsiveBytes = 24 * megabyte,
    silentBytes = 8 * megabyte,
    silentLimitBytes = 40 * megabyte,
    responsiveLimitBytes = 32 * megabyte,
    loadBytes = 16 * megabyte,
  ) {
    this.responsive = new MemoryPool(responsiveBytes, responsiveLimitBytes);
    this.silent = new MemoryPool(silentBytes, silentLimitBytes);
    this.loads = {
      all: new MemoryPool(loadBytes, loadBytes),
      silent: new MemoryPool(silentLoadShare * loadBytes, silentLoadShare * loadBytes),
    };
  }

  get heldBytes(): number {
    return this.responsive.heldBytes + this.silent.heldBytes + this.loads.all.heldBytes;
  }

  /** The share of one more destination, which is silent until it responds. */
  share(holder: ShareHolder): MemoryShare {
    return new MemoryShare(this, holder);
  }
}

/** What one destination holds of the budget. All numbers are bytes. */
export class MemoryShare {
  readonly loads: LoadShare;
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
    this.loads = new LoadShare(budget.loads, holder.onRoom);
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
    const isLimited = this.#wasTried && !this.isResponsive;
    return this.#inFlight === 0 && this.#pool.isBelow(isLimited ? triedShare : 1);
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
    this.loads.noteResponsive(isResponsive);
    const wasRefused = this.#pool.forget(this);
    this.#pool.add(-this.#held);
    this.#pool = isResponsive ? this.#budget.responsive : this.#budget.silent;
    this.#pool.add(this.#held);
    if (this.roomBytes < 0) this.#holder.onShortage();
    if (!wasRefused) return;
    if (this.hasRoom) setImmediate(this.#holder.onRoom);
    else this.#pool.refuse(this);
  }

  /** Lets the destination send again. */
  wake(): void {
    this.#pool.forget(this);
    this.#holder.onRoom();
  }

  /** Called when the destination sends nothing more. What is in flight counts until it has ended. */
  close(): void {
    this.#holder.onShortage();
    this.#pool.forget(this);
    this.loads.close();
  }
}
