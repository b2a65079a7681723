import { Queue } from '../../collections/queue.js';
import type { Backlog, EndOptions, Lane, LaneUser, Retries } from '../store/service-store.js';
import { memoryOf, type RetryEvent, type StoredEvent } from '../store/stored.js';
import type { OrderedStoreLane } from '../store/service-store.js';
import { userKeyOf } from './user-key.js';
import { ask } from './ask.js';

/** Events of one user, and of all, that wait in memory for an earlier one; beyond, they are parked in the store. */
const maxHeldOfUser = 16;
const maxHeld = 256;
/** Events that are being parked: each is in memory until that is durable. */
const maxParking = 512;
/** How many events are looked at, to find some that may be sent. */
const maxLooked = 128;
const maxReady = 32;
const usersAtOnce = 32;
/** When the store is searched again for users who could go on: another one may have ended what they waited for. */
const scanAgainMs = 60_000;
/** After a look-up that failed. */
const againMs = 1_000;

/** A user with an event that was taken: the next one has to wait for it. */
interface Turn {
  readonly user: string;
  /** The event that may be sent, or is. */
  current: number | undefined;
  /** Whether it has ended, and that is not durable yet. */
  isEnding: boolean;
  /** Those behind it, in their order. */
  held: StoredEvent[];
  /** The last event of the user that was made current or parked. */
  last: number;
  /** Ids of those that are being parked. */
  readonly parking: Set<number>;
  /** Whether others are in the store. */
  hasParked: boolean;
  /** Whether the store is asked what is there. */
  isAsking: boolean;
  /** Whether some were parked meanwhile. */
  isStale: boolean;
}

export interface OrderedLaneOptions extends LaneUser {
  readonly open: (user: LaneUser) => OrderedStoreLane;
  /** Calls once, after this time; returns what cancels it. */
  readonly after: (ms: number, call: () => void) => () => void;
  /** A later answer of the store did not come; it is asked again. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Hands out an event of a user only when the one before has durably ended. Those behind it wait in memory while they are
 * few, else in the store, by user, so that a long queue is read once and keeps nobody else waiting.
 */
export class OrderedLane implements Lane {
  readonly backlog: Backlog;
  readonly retries: Retries;
  readonly #inner: OrderedStoreLane;
  readonly #options: OrderedLaneOptions;
  readonly #turns = new Map<string, Turn>();
  /** By the id of its current event. */
  readonly #turnOf = new Map<number, Turn>();
  /** Events that may be sent. */
  #ready = new Queue<StoredEvent>();
  readonly #parkedReady = new Set<number>();
  #held = 0;
  #parking = 0;
  #parkingBytes = 0;
  /** Users whose first event may be parked, and free to be sent. */
  readonly #awake = new Queue<string>();
  /** Up to this user the store was searched for them since the start; undefined at the end. */
  #scannedTo: string | undefined = '';
  #isScanning = false;
  #cancelScan: () => void = () => undefined;
  #isParkedNext = false;
  /** Events that are in flight although they were lost. */
  readonly #abandoned = new Set<number>();
  #era = 0;

  constructor(options: OrderedLaneOptions) {
    this.#options = options;
    const { share, onMore } = options;
    this.#inner = options.open({ share, onMore, onLost: () => this.#lose() });
    this.backlog = {
      offer: (event) => this.#inner.backlog.offer(event),
      take: () => this.#take(),
      // The newest event of a user is never the next one.
      takeNewest: () => this.#take(),
      putBack: (event) => this.#putBack(event),
      release: () => this.#release(),
    };
    this.retries = this.#makeRetries();
  }

  get loadedUpTo(): number {
    return this.#inner.loadedUpTo;
  }

  unloadable(event: StoredEvent): ReturnType<Lane['unloadable']> {
    return this.#inner.unloadable(event);
  }

  end(options: EndOptions): void {
    const { event, ending, onCommitted } = options;
    const turn = this.#turnOf.get(event.id);
    if (!turn) {
      this.#inner.end(options);
      this.#forgetAbandoned(event.id);
      return;
    }
    turn.isEnding = true;
    this.#inner.end({
      ...options,
      user: turn.user,
      onCommitted: () => {
        onCommitted();
        this.#ended(turn, event.id, ending.kind === 'postponed');
      },
    });
    if (turn.held.length > 0 || turn.hasParked) this.#inner.order.hurry([event.id]);
  }

  async close(): Promise<void> {
    this.#cancelScan();
    await this.#inner.close();
    this.#era++;
    this.#options.share.keep(-this.#parkingBytes);
  }

  #makeRetries(): Retries {
    const { retries } = this.#inner;
    return {
      get nextAt() {
        return retries.nextAt;
      },
      take: () => this.#takeRetry(() => retries.take()),
      takeEarliest: () => this.#takeRetry(() => retries.takeEarliest()),
      postponed: (id, delayMs) => retries.postponed(id, delayMs),
      returned: (id) => this.#returned(id),
      ended: (id) => retries.ended(id),
      outages: () => retries.outages(),
    };
  }

  #take(): StoredEvent | undefined {
    if (this.#abandoned.size > 0) return undefined;
    if (this.#ready.size === 0) this.#fill();
    const event = this.#ready.shift();
    if (event) this.#options.share.keep(-memoryOf(event));
    else if (this.#awake.size > 0) this.#options.onMore();
    return event;
  }

  /** Alternates between parked events and the backlog, so that neither starves the other. */
  #fill(): void {
    this.#isParkedNext = !this.#isParkedNext;
    if (this.#isParkedNext) this.#wakeUsers();
    this.#look();
    if (!this.#isParkedNext && this.#ready.size === 0) this.#wakeUsers();
  }

  /** Takes events from the queue, until some of them may be sent. */
  #look(): void {
    const { backlog, order } = this.#inner;
    const { share, onMore } = this.#options;
    const asked: Turn[] = [];
    const most = share.isResponsive ? maxReady : 1;
    let looked = 0;
    try {
      for (; looked < maxLooked && this.#parking < maxParking; looked++) {
        if (this.#ready.size + asked.length >= most) break;
        const event = backlog.take();
        if (!event) break;
        share.keep(memoryOf(event));
        const turn = this.#arrive(event);
        if (turn) asked.push(turn);
      }
    } finally {
      if (asked.length > 0) this.#askHeads(asked, order.isEmpty);
    }
    if (looked === maxLooked && this.#ready.size === 0) onMore();
  }

  /** Returns the turn of a user who had none: it is not known yet whether the store has earlier events. */
  #arrive(event: StoredEvent): Turn | undefined {
    const user = userKeyOf(event.event);
    if (user === undefined) {
      this.#ready.push(event);
      return undefined;
    }
    const turn = this.#turns.get(user);
    if (turn) {
      this.#follow(turn, event);
      return undefined;
    }
    const made = this.#addTurn(user);
    made.isAsking = true;
    this.#hold(made, event);
    return made;
  }

  #follow(turn: Turn, event: StoredEvent): void {
    const isFull = turn.held.length >= maxHeldOfUser || this.#held >= maxHeld;
    this.#hold(turn, event);
    if (turn.hasParked || isFull) this.#parkHeld(turn);
    else if (turn.isEnding) this.#inner.order.hurry([turn.current!]);
  }

  #askHeads(asked: readonly Turn[], isEmpty: boolean): void {
    const { order } = this.#inner;
    const users = asked.map(({ user }) => user);
    this.#ask(
      () => (isEmpty ? new Map<string, number>() : order.heads(users)),
      (heads) => {
        for (const turn of asked) {
          if (this.#turns.get(turn.user) !== turn) continue;
          turn.isAsking = false;
          const head = heads.get(turn.user);
          const [first] = turn.held;
          if (head !== undefined) turn.hasParked = true;
          // Where the first one in the store is a later one, it waits for this one.
          if (head !== undefined && first && head < first.id) this.#parkHeld(turn);
          this.#settle(turn);
        }
      },
      () => {
        for (const turn of asked) this.#giveBack(turn);
      },
    );
  }

  /** Takes parked events of users who wait for nothing else. */
  #wakeUsers(): void {
    if (this.#awake.size === 0) this.#scan();
    const woken: Turn[] = [];
    const most = this.#options.share.isResponsive ? usersAtOnce : 1;
    while (this.#awake.size > 0 && woken.length < most) {
      const user = this.#awake.shift()!;
      // When that one has ended, it is looked up.
      const known = this.#turns.get(user);
      if (known) {
        known.hasParked = true;
        continue;
      }
      const turn = this.#addTurn(user);
      turn.isAsking = turn.hasParked = true;
      woken.push(turn);
    }
    if (woken.length === 0) return;
    const { order } = this.#inner;
    this.#ask(
      () => order.next(woken.map(({ user }) => user)),
      (events) => {
        for (const turn of woken) {
          if (this.#turns.get(turn.user) !== turn) continue;
          turn.isAsking = false;
          const event = events.get(turn.user);
          if (event && turn.current === undefined) {
            this.#options.share.keep(memoryOf(event));
            this.#parkedReady.add(event.id);
            this.#makeCurrent(turn, event);
            continue;
          }
          if (event) order.returned(event.id);
          if (turn.isStale || turn.held.length > 0) this.#settle(turn);
          else if (turn.current === undefined && turn.parking.size === 0)
            this.#turns.delete(turn.user);
        }
      },
      () => {
        for (const turn of woken) this.#giveBack(turn);
      },
    );
  }

  /** Since the start, for users whose events were parked before. */
  #scan(): void {
    const after = this.#scannedTo;
    const { order } = this.#inner;
    if (after === undefined || this.#isScanning) return;
    if (order.isEmpty) {
      this.#scannedTo = undefined;
      this.#scanAgain();
      return;
    }
    this.#isScanning = true;
    this.#ask(
      () => order.usersAfter(after, usersAtOnce),
      (users) => {
        this.#isScanning = false;
        this.#scannedTo = users.length < usersAtOnce ? undefined : users.at(-1)!;
        if (this.#scannedTo === undefined) this.#scanAgain();
        for (const user of users) this.#awake.push(user);
        if (users.length > 0) this.#options.onMore();
      },
      () => (this.#isScanning = false),
    );
  }

  #scanAgain(): void {
    this.#cancelScan();
    this.#cancelScan = this.#options.after(scanAgainMs, () => {
      this.#scannedTo ??= '';
      this.#options.onMore();
    });
  }

  /** Answers of before a loss are ignored. */
  #ask<T>(look: () => T | Promise<T>, use: (found: T) => void, undo: () => void): void {
    const era = this.#era;
    const { onMore, onFailure, after } = this.#options;
    ask(look, {
      onFound: (found, isLate) => {
        if (era !== this.#era) return;
        use(found);
        if (isLate) onMore();
      },
      onFailed: (error, isLate) => {
        if (era !== this.#era) return;
        undo();
        if (!isLate) throw error;
        onFailure(error);
        after(againMs, onMore);
      },
    });
  }

  #ended(turn: Turn, id: number, isPostponed: boolean): void {
    if (this.#turnOf.get(id) !== turn) return;
    this.#turnOf.delete(id);
    this.#parkedReady.delete(id);
    turn.current = undefined;
    turn.isEnding = false;
    if (isPostponed) {
      turn.hasParked = true;
      this.#parkHeld(turn);
    }
    this.#settle(turn);
  }

  /** Lets the next event of a user go, if nothing before it is left. */
  #settle(turn: Turn): void {
    if (turn.current !== undefined || turn.isAsking) return;
    const next = turn.held.shift();
    if (next) {
      this.#held--;
      this.#makeCurrent(turn, next);
    } else if (turn.parking.size === 0) {
      this.#turns.delete(turn.user);
      if (!turn.hasParked) return;
      this.#awake.push(turn.user);
    } else {
      // Only what is durable can be taken.
      this.#inner.order.hurry([...turn.parking]);
      return;
    }
    this.#options.onMore();
  }

  #makeCurrent(turn: Turn, event: StoredEvent): void {
    turn.current = turn.last = event.id;
    this.#turnOf.set(event.id, turn);
    this.#ready.push(event);
  }

  #hold(turn: Turn, event: StoredEvent): void {
    turn.held.push(event);
    this.#held++;
  }

  #parkHeld(turn: Turn): void {
    const { held, user } = turn;
    if (held.length === 0) return;
    turn.hasParked = true;
    turn.held = [];
    this.#held -= held.length;
    this.#parking += held.length;
    const era = this.#era;
    for (const event of held) {
      const { order } = this.#inner;
      const bytes = memoryOf(event);
      this.#parkingBytes += bytes;
      turn.parking.add(event.id);
      const onCommitted = (): void => {
        if (era !== this.#era) return;
        this.#options.share.keep(-bytes);
        this.#parkingBytes -= bytes;
        this.#parking--;
        turn.parking.delete(event.id);
        if (turn.isAsking) turn.isStale = true;
        this.#settle(turn);
        // There is room for others.
        if (this.#parking === 0) this.#options.onMore();
      };
      order.park({ event, user, behind: turn.last, onCommitted });
      turn.last = event.id;
    }
  }

  #addTurn(user: string): Turn {
    const turn: Turn = {
      ...{
        user,
        current: undefined,
        isEnding: false,
        held: [],
        last: 0,
        parking: new Set<number>(),
      },
      ...{ hasParked: false, isAsking: false, isStale: false },
    };
    this.#turns.set(user, turn);
    return turn;
  }

  #takeRetry(take: () => RetryEvent | undefined): RetryEvent | undefined {
    if (this.#abandoned.size > 0) return undefined;
    for (let looked = 0; looked < maxLooked; looked++) {
      const retry = take();
      if (!retry) return undefined;
      const user = userKeyOf(retry.event);
      if (user === undefined) return retry;
      const known = this.#turns.get(user);
      if (known?.current === undefined) {
        const turn = known ?? this.#addTurn(user);
        turn.hasParked = true;
        turn.current = turn.last = retry.id;
        this.#turnOf.set(retry.id, turn);
        return retry;
      }
      // It was attempted before the destination was ordered, or together with others of its user.
      this.#inner.retries.returned(retry.id);
    }
    return undefined;
  }

  #returned(id: number): void {
    this.#inner.retries.returned(id);
    if (this.#forgetAbandoned(id)) return;
    const turn = this.#turnOf.get(id);
    if (turn) this.#ended(turn, id, true);
  }

  #putBack(event: StoredEvent): void {
    if (this.#forgetAbandoned(event.id)) return;
    const turn = this.#turnOf.get(event.id);
    if (!turn) {
      this.#inner.backlog.putBack(event);
      return;
    }
    this.#turnOf.delete(event.id);
    turn.current = undefined;
    if (this.#parkedReady.delete(event.id)) {
      turn.hasParked = true;
      this.#inner.order.returned(event.id);
    } else this.#inner.backlog.putBack(event);
    this.#giveBack(turn);
  }

  /** Those that wait in memory go back to the store, from which they come again in their order. */
  #giveBack(turn: Turn): void {
    if (this.#turns.get(turn.user) !== turn) return;
    for (const event of turn.held) {
      this.#options.share.keep(-memoryOf(event));
      this.#inner.backlog.putBack(event);
    }
    this.#held -= turn.held.length;
    turn.held = [];
    turn.isAsking = false;
    this.#settle(turn);
  }

  #release(): void {
    const free = this.#ready.takeAll();
    for (const event of free) {
      this.#options.share.keep(-memoryOf(event));
      this.#putBack(event);
    }
    for (const turn of [...this.#turns.values()]) if (!turn.isAsking) this.#giveBack(turn);
    this.#inner.backlog.release();
  }

  /** What was taken may be in the hands of another process by now. */
  #lose(): void {
    const free = this.#ready.takeAll();
    const { share } = this.#options;
    for (const event of free) {
      share.keep(-memoryOf(event));
      this.#turnOf.delete(event.id);
    }
    for (const { held } of this.#turns.values())
      for (const event of held) share.keep(-memoryOf(event));
    share.keep(-this.#parkingBytes);
    // What has ended is not in flight anymore, though nobody says that it is durable.
    for (const [id, { isEnding }] of this.#turnOf) if (!isEnding) this.#abandoned.add(id);
    this.#era++;
    this.#turns.clear();
    this.#turnOf.clear();
    this.#parkedReady.clear();
    this.#awake.takeAll();
    this.#held = this.#parking = this.#parkingBytes = 0;
    this.#scannedTo = '';
    this.#isScanning = false;
    this.#options.onLost();
    if (this.#abandoned.size === 0) this.#inner.restart();
  }

  /** Returns whether the event was lost while it was in flight. */
  #forgetAbandoned(id: number): boolean {
    if (!this.#abandoned.delete(id)) return false;
    if (this.#abandoned.size === 0) this.#inner.restart();
    return true;
  }
}
