import type { Clock } from '../../../clock.js';
import type { Backlog, EndOptions, LaneUser, Retries } from '../service-store.js';
import type { StoredEvent } from '../stored.js';
import type { OrderedStoreLane } from '../service-store.js';
import type { UserOrder } from '../user-order.js';
import type { StoreParts } from './context.js';
import { PostgresLane } from './lane.js';
import { OrderLease } from './order-lease.js';
import { OrderedTaker } from './ordered-taker.js';
import type { OutcomeWriter } from './outcome-writer.js';
import type { Taker } from './taker.js';
import type { Unit } from './unit.js';
import { UserEvents } from './user-events.js';

export interface PostgresOrderedLaneOptions extends LaneUser {
  readonly parts: StoreParts;
  /** Number. */
  readonly destination: number;
  readonly clock: Clock;
  readonly taker: Taker;
  readonly writer: OutcomeWriter;
  readonly onDefect: (error: unknown) => void;
  readonly onClosed: () => void;
}

/** An instance that waits for its turn asks again after this time. */
const askAgainMs = 1_000;

/**
 * A lane of an ordered destination, to which one instance at a time sends. When another one may have taken a part of what
 * this instance has taken, this one releases everything, and begins anew once nothing is in flight.
 */
export class PostgresOrderedLane implements OrderedStoreLane {
  readonly order: UserOrder;
  readonly #options: PostgresOrderedLaneOptions;
  readonly #lane: PostgresLane;
  readonly #taker: OrderedTaker;
  readonly #lease: OrderLease;
  readonly #users: UserEvents;
  #isLost = false;
  #isClosed = false;
  #lost: Unit[] = [];
  #isEmpty = false;
  /** How often something was moved to `user_event`. */
  #moves = 0;

  constructor(options: PostgresOrderedLaneOptions) {
    const { parts, destination, taker, writer, clock, share, onMore } = options;
    this.#options = options;
    this.#users = new UserEvents(parts, destination);
    this.#lease = new OrderLease(parts, destination, clock, () => this.#lose());
    const blocks = (): number[] => this.#lane.blocks;
    const isLost = (): boolean => this.#isLost;
    this.#taker = new OrderedTaker({
      ...{ parts, destination, taker, lease: this.#lease, blocks, isLost },
    });
    this.#lane = new PostgresLane({
      ...{ clock, share, onMore, writer, taker: this.#taker },
      onLost: () => this.#lose(),
      releasable: lastOf,
      onDefect: options.onDefect,
      onClosed: options.onClosed,
    });
    this.order = this.#makeOrder();
  }

  get backlog(): Backlog {
    return this.#lane.backlog;
  }

  get retries(): Retries {
    return this.#lane.retries;
  }

  readonly loadedUpTo = 0;

  unloadable(): undefined {
    return undefined;
  }

  poke(retriesDueInMs?: number): void {
    if (!this.#isLost) this.#lane.poke(retriesDueInMs);
  }

  flush(): Promise<void> {
    return this.#lane.flush();
  }

  end(options: EndOptions): void {
    if (options.ending.kind !== 'postponed' || options.user === undefined) {
      this.#lane.end(options);
      return;
    }
    this.#noteMove();
    // The callback is kept until the commit: without `options`, which has the event.
    const { onCommitted } = options;
    this.#lane.end({
      ...options,
      onCommitted: () => {
        this.#noteMove();
        onCommitted();
      },
    });
  }

  restart(): void {
    void this.#restart();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#lane.close();
    await this.#taker.release(this.#lost.splice(0));
    await this.#taker.close();
    await this.#lease.close();
  }

  #makeOrder(): UserOrder {
    const isEmpty = (): boolean => this.#isEmpty;
    return {
      get isEmpty() {
        return isEmpty();
      },
      heads: (users) => this.#users.heads(users),
      next: (users) => this.#next(users),
      usersAfter: (user, limit) => this.#usersAfter(user, limit),
      park: ({ event, user, behind, onCommitted }) => {
        this.#noteMove();
        this.#lane.end({
          ...{ event, user, ending: { kind: 'parked', behind } },
          onCommitted: () => {
            this.#noteMove();
            onCommitted();
          },
        });
      },
      release: (id) => this.#lane.forgetEvent(id),
      commitNow: (ids) => this.#lane.commitNow(ids),
    };
  }

  #noteMove(): void {
    this.#moves++;
    this.#isEmpty = false;
  }

  async #next(users: readonly string[]): Promise<ReadonlyMap<string, StoredEvent>> {
    if (!(await this.#lease.obtain())) return new Map();
    const { job } = this.#lease;
    const events = await this.#users.next(users);
    // It may have been lost, or closed, while the store was asked.
    if (!job || this.#lease.job !== job || this.#isLost || this.#isClosed) return new Map();
    // Another instance has parked it, and thus had the lease of its block.
    if ([...events.values()].some(({ id }) => this.#lane.isPending(id))) {
      this.#lose();
      return new Map();
    }
    for (const [user, event] of events) {
      // Later events of its user wait for it until the users are searched again.
      if (this.#lane.isUnstorable(event.id)) events.delete(user);
      else this.#lane.addTaken(event, job);
    }
    return events;
  }

  async #usersAfter(user: string, limit: number): Promise<string[]> {
    // Until then another instance parks events and sends them.
    while (!(await this.#lease.obtain())) {
      if (this.#isClosed) return [];
      await new Promise<void>((resolve) => {
        this.#options.clock.after(askAgainMs, resolve, { keepsAlive: false });
      });
    }
    const { job } = this.#lease;
    const moves = this.#moves;
    const users = await this.#users.usersAfter(user, limit);
    const isSure = moves === this.#moves && job === this.#lease.job && !this.#isLost;
    if (user === '' && users.length === 0 && isSure) this.#isEmpty = true;
    return users;
  }

  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#lost = this.#lane.forgetAll();
    this.#options.onLost();
  }

  async #restart(): Promise<void> {
    await this.#taker.release(this.#lost.splice(0));
    await this.#taker.releaseEarly();
    await this.#lease.release();
    this.#isEmpty = false;
    this.#isLost = false;
    this.poke(0);
  }
}

/** The units after all that were begun: what is taken later has to come after what is taken now. */
function lastOf(idle: readonly Unit[], all: readonly Unit[]): Unit[] {
  const begun = all.filter((unit) => unit.kind === 'events' && !idle.includes(unit));
  const last = Math.max(-1, ...begun.map(({ id }) => id));
  return idle.filter(({ id }) => id > last);
}
