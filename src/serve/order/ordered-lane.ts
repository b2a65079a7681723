import { Queue } from '../../collections/queue.js';
import type { Backlog, EndOptions, Lane, LaneUser, Retries } from '../store/service-store.js';
import { memoryOf, type RetryEvent, type StoredEvent } from '../store/stored.js';
import type { OrderedStoreLane } from '../store/service-store.js';
import type { UserOrder } from '../store/user-order.js';
import { activeUser, type ActiveUser } from './active-user.js';
import { ParkedUsers, usersAtOnce } from './parked-users.js';
import { Parking } from './parking.js';
import { StoreQueries } from './store-queries.js';
import { userKeyOf } from '../user-key.js';

/** Events of one user, and of all, that wait in memory for an earlier one; beyond, they are parked in the store. */
const maxHeldOfUser = 16;
const maxHeld = 256;
/** How many events of the backlog are examined at a time to find some that may be sent. */
const maxExamined = 128;
const maxReady = 32;

export interface OrderedLaneOptions extends LaneUser {
  readonly open: (user: LaneUser) => OrderedStoreLane;
  /** Calls once, after this time; returns what cancels it. */
  readonly after: (ms: number, call: () => void) => () => void;
  /** A query to the store failed; it is repeated. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Hands out an event of a user only when the one before has durably ended. Those behind it wait in memory while they are
 * few, else in the store, by user, so that a long queue is read once and delays no other user.
 *
 * The life of an event: it comes from the backlog. If its user is not active, the store is asked for earlier events of
 * the user; without any, it is the current one, which is handed out and sent. Else it is held in memory behind the
 * current one, or parked in the store where too many are held or others of its user are parked already. When the current
 * one has durably ended, the first held one follows, or else the first parked one, by a look-up of the user. An event
 * that is to be retried waits in the store at its place, with those behind it parked; when it is due, it is the current
 * one again. A lane that is lost, since another process may have its events, forgets all, and begins anew once nothing
 * of before is in flight.
 */
export class OrderedLane implements Lane {
  readonly backlog: Backlog;
  readonly retries: Retries;
  readonly #inner: OrderedStoreLane;
  readonly #options: OrderedLaneOptions;
  readonly #active = new Map<string, ActiveUser>();
  /** By the id of its current event. */
  readonly #userOf = new Map<number, ActiveUser>();
  /** Events that may be sent. */
  #ready = new Queue<StoredEvent>();
  readonly #parkedReady = new Set<number>();
  #held = 0;
  readonly #queries: StoreQueries;
  readonly #parking: Parking;
  readonly #parkedUsers: ParkedUsers;
  #isParkedNext = false;
  /** Ids of lost events that are still in flight. */
  readonly #lostInFlight = new Set<number>();

  constructor(options: OrderedLaneOptions) {
    this.#options = options;
    const { share, onMore, after, onFailure } = options;
    const order = (): UserOrder => this.#inner.order;
    this.#queries = new StoreQueries({ after, onMore, onFailure });
    this.#parkedUsers = new ParkedUsers({ order, queries: this.#queries, after, onMore });
    this.#parking = new Parking({
      ...{ order, share },
      onParked: (active) => {
        if (active.isAsking) active.isStale = true;
        this.#settle(active);
      },
      // The lane can examine more events.
      onEmpty: onMore,
    });
    this.#inner = options.open({ share, onMore, onLost: () => this.#lose() });
    this.backlog = {
      offer: (event) => this.#inner.backlog.offer(event),
      take: () => this.#take(),
      // The newest event of a user is never the next one.
      takeNewest: () => this.#take(),
      release: (event) => this.#release(event),
      unload: () => this.#unload(),
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
    const active = this.#userOf.get(event.id);
    if (!active) {
      this.#inner.end(options);
      this.#forgetLost(event.id);
      return;
    }
    active.isEnding = true;
    // The callback is kept until the commit. It uses the id alone, so that the event can be freed before.
    const { id } = event;
    const isPostponed = ending.kind === 'postponed';
    this.#inner.end({
      ...options,
      user: active.user,
      onCommitted: () => {
        onCommitted();
        this.#ended(active, id, isPostponed);
      },
    });
    if (active.held.length > 0 || active.hasParked) this.#inner.order.commitNow([id]);
  }

  async close(): Promise<void> {
    this.#parkedUsers.close();
    await this.#inner.close();
    this.#queries.drop();
    this.#parking.forget();
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
      release: (event) => this.#releaseRetry(event),
      ended: (id) => retries.ended(id),
      outages: () => retries.outages(),
    };
  }

  #take(): StoredEvent | undefined {
    if (this.#lostInFlight.size > 0) return undefined;
    if (this.#ready.size === 0) this.#fillReady();
    const event = this.#ready.shift();
    if (event) this.#options.share.keep(-memoryOf(event));
    else if (!this.#parkedUsers.isEmpty) this.#options.onMore();
    return event;
  }

  /** Alternates between parked events and the backlog, so that neither starves the other. */
  #fillReady(): void {
    this.#isParkedNext = !this.#isParkedNext;
    if (this.#isParkedNext) this.#resumeUsers();
    this.#takeFromBacklog();
    if (!this.#isParkedNext && this.#ready.size === 0) this.#resumeUsers();
  }

  /** Takes events from the backlog until some of them may be sent. */
  #takeFromBacklog(): void {
    const { backlog, order } = this.#inner;
    const { share, onMore } = this.#options;
    const asked: ActiveUser[] = [];
    const limit = share.isResponsive ? maxReady : 1;
    let examined = 0;
    try {
      for (; examined < maxExamined && !this.#parking.isFull; examined++) {
        if (this.#ready.size + asked.length >= limit) break;
        const event = backlog.take();
        if (!event) break;
        share.keep(memoryOf(event));
        const active = this.#arrive(event);
        if (active) asked.push(active);
      }
    } finally {
      if (asked.length > 0) this.#askHeads(asked, order.isEmpty);
    }
    if (examined === maxExamined && this.#ready.size === 0) onMore();
  }

  /** Returns the user of an event if it was not active: the store may have earlier events of that user. */
  #arrive(event: StoredEvent): ActiveUser | undefined {
    const user = userKeyOf(event.event);
    if (user === undefined) {
      this.#ready.push(event);
      return undefined;
    }
    const active = this.#active.get(user);
    if (active) {
      this.#follow(active, event);
      return undefined;
    }
    const made = this.#activate(user);
    made.isAsking = true;
    this.#hold(made, event);
    return made;
  }

  #follow(active: ActiveUser, event: StoredEvent): void {
    const isFull = active.held.length >= maxHeldOfUser || this.#held >= maxHeld;
    this.#hold(active, event);
    if (active.hasParked || isFull) this.#parkHeld(active);
    else if (active.isEnding) this.#inner.order.commitNow([active.current!]);
  }

  #askHeads(asked: readonly ActiveUser[], isEmpty: boolean): void {
    const { order } = this.#inner;
    const users = asked.map(({ user }) => user);
    this.#queries.ask(
      () => (isEmpty ? new Map<string, number>() : order.heads(users)),
      (heads) => {
        for (const active of asked) {
          if (this.#active.get(active.user) !== active) continue;
          active.isAsking = false;
          const head = heads.get(active.user);
          const [first] = active.held;
          if (head !== undefined) active.hasParked = true;
          // If the first one in the store is later, it waits for the held ones.
          if (head !== undefined && first && head < first.id) this.#parkHeld(active);
          this.#settle(active);
        }
      },
      () => {
        for (const active of asked) this.#releaseHeld(active);
      },
    );
  }

  /** Takes parked events of users without a current event. */
  #resumeUsers(): void {
    if (this.#parkedUsers.isEmpty) this.#parkedUsers.scan();
    const resumed: ActiveUser[] = [];
    const limit = this.#options.share.isResponsive ? usersAtOnce : 1;
    while (resumed.length < limit) {
      const user = this.#parkedUsers.take();
      if (user === undefined) break;
      // The parked event follows when the current one has ended.
      const known = this.#active.get(user);
      if (known) {
        known.hasParked = true;
        continue;
      }
      const active = this.#activate(user);
      active.isAsking = active.hasParked = true;
      resumed.push(active);
    }
    if (resumed.length === 0) return;
    const { order } = this.#inner;
    this.#queries.ask(
      () => order.next(resumed.map(({ user }) => user)),
      (events) => {
        for (const active of resumed) {
          if (this.#active.get(active.user) !== active) continue;
          active.isAsking = false;
          const event = events.get(active.user);
          if (event && active.current === undefined) {
            this.#options.share.keep(memoryOf(event));
            this.#parkedReady.add(event.id);
            this.#makeCurrent(active, event);
            continue;
          }
          if (event) order.release(event.id);
          if (active.isStale || active.held.length > 0) this.#settle(active);
          else if (active.current === undefined && active.parking.size === 0)
            this.#active.delete(active.user);
        }
      },
      () => {
        for (const active of resumed) this.#releaseHeld(active);
      },
    );
  }

  #ended(active: ActiveUser, id: number, isPostponed: boolean): void {
    if (this.#userOf.get(id) !== active) return;
    this.#userOf.delete(id);
    this.#parkedReady.delete(id);
    active.current = undefined;
    active.isEnding = false;
    if (isPostponed) {
      active.hasParked = true;
      this.#parkHeld(active);
    }
    this.#settle(active);
  }

  /** Makes the next event of a user current, if the one before has ended. */
  #settle(active: ActiveUser): void {
    if (active.current !== undefined || active.isAsking) return;
    const next = active.held.shift();
    if (next) {
      this.#held--;
      this.#makeCurrent(active, next);
    } else if (active.parking.size === 0) {
      this.#active.delete(active.user);
      if (!active.hasParked) return;
      this.#parkedUsers.add(active.user);
    } else {
      // A parked event can be taken only when that is durable.
      this.#inner.order.commitNow([...active.parking]);
      return;
    }
    this.#options.onMore();
  }

  #makeCurrent(active: ActiveUser, event: StoredEvent): void {
    active.current = active.last = event.id;
    this.#userOf.set(event.id, active);
    this.#ready.push(event);
  }

  #hold(active: ActiveUser, event: StoredEvent): void {
    active.held.push(event);
    this.#held++;
  }

  #parkHeld(active: ActiveUser): void {
    const { held } = active;
    if (held.length === 0) return;
    this.#held -= held.length;
    this.#parking.park(active);
  }

  #activate(user: string): ActiveUser {
    const active = activeUser(user);
    this.#active.set(user, active);
    return active;
  }

  #takeRetry(take: () => RetryEvent | undefined): RetryEvent | undefined {
    if (this.#lostInFlight.size > 0) return undefined;
    for (let examined = 0; examined < maxExamined; examined++) {
      const retry = take();
      if (!retry) return undefined;
      const user = userKeyOf(retry.event);
      if (user === undefined) return retry;
      const known = this.#active.get(user);
      if (known?.current === undefined) {
        const active = known ?? this.#activate(user);
        active.hasParked = true;
        active.current = active.last = retry.id;
        this.#userOf.set(retry.id, active);
        return retry;
      }
      // It was postponed before the destination was ordered, or together with others of its user.
      this.#inner.retries.release(retry);
    }
    return undefined;
  }

  #releaseRetry(event: StoredEvent): void {
    const { id } = event;
    this.#inner.retries.release(event);
    if (this.#forgetLost(id)) return;
    const active = this.#userOf.get(id);
    if (active) this.#ended(active, id, true);
  }

  #release(event: StoredEvent): void {
    if (this.#forgetLost(event.id)) return;
    const active = this.#userOf.get(event.id);
    if (!active) {
      this.#inner.backlog.release(event);
      return;
    }
    this.#userOf.delete(event.id);
    active.current = undefined;
    if (this.#parkedReady.delete(event.id)) {
      active.hasParked = true;
      this.#inner.order.release(event.id);
    } else this.#inner.backlog.release(event);
    this.#releaseHeld(active);
  }

  /** Releases the events of a user that wait in memory: they come again from the store in their order. */
  #releaseHeld(active: ActiveUser): void {
    if (this.#active.get(active.user) !== active) return;
    for (const event of active.held) {
      this.#options.share.keep(-memoryOf(event));
      this.#inner.backlog.release(event);
    }
    this.#held -= active.held.length;
    active.held = [];
    active.isAsking = false;
    this.#settle(active);
  }

  #unload(): void {
    const free = this.#ready.takeAll();
    for (const event of free) {
      this.#options.share.keep(-memoryOf(event));
      this.#release(event);
    }
    for (const active of [...this.#active.values()])
      if (!active.isAsking) this.#releaseHeld(active);
    this.#inner.backlog.unload();
  }

  /** Another process may have the events that were taken. */
  #lose(): void {
    const free = this.#ready.takeAll();
    const { share } = this.#options;
    for (const event of free) {
      share.keep(-memoryOf(event));
      this.#userOf.delete(event.id);
    }
    for (const { held } of this.#active.values())
      for (const event of held) share.keep(-memoryOf(event));
    // An event that has ended is not in flight anymore, though its ending is not known to be durable.
    for (const [id, { isEnding }] of this.#userOf) if (!isEnding) this.#lostInFlight.add(id);
    this.#queries.drop();
    this.#parking.forget();
    this.#parkedUsers.restart();
    this.#active.clear();
    this.#userOf.clear();
    this.#parkedReady.clear();
    this.#held = 0;
    this.#options.onLost();
    if (this.#lostInFlight.size === 0) this.#inner.restart();
  }

  /** Returns whether the event was lost while it was in flight. */
  #forgetLost(id: number): boolean {
    if (!this.#lostInFlight.delete(id)) return false;
    if (this.#lostInFlight.size === 0) this.#inner.restart();
    return true;
  }
}
