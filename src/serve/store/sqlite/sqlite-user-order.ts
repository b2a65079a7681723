import type { Change, GroupCommit } from '../../../storage/group-commit.js';
import { memoryOf, type StoredEvent } from '../stored.js';
import type { ParkOptions, UserOrder } from '../user-order.js';
import type { StoreContext } from './store-context.js';

/** The order of the users of one destination. */
export class SqliteUserOrder implements UserOrder {
  readonly #context: StoreContext;
  readonly #group: Pick<GroupCommit, 'add'>;
  readonly #destination: string;

  constructor(context: StoreContext, group: Pick<GroupCommit, 'add'>, destination: string) {
    this.#context = context;
    this.#group = group;
    this.#destination = destination;
  }

  get isEmpty(): boolean {
    return this.#context.queue.users.isEmpty(this.#number);
  }

  heads(users: readonly string[]): Map<string, number> {
    const heads = new Map<string, number>();
    for (const user of users) {
      const head = this.#context.queue.users.head(this.#number, user);
      if (head) heads.set(user, head.id);
    }
    return heads;
  }

  next(users: readonly string[]): Map<string, StoredEvent> {
    const events = new Map<string, StoredEvent>();
    for (const user of users) {
      const event = this.#context.queue.nextParked(this.#number, user);
      if (event) events.set(user, event);
    }
    return events;
  }

  usersAfter(user: string, limit: number): string[] {
    return this.#context.queue.users.usersAfter(this.#number, user, limit);
  }

  park(options: ParkOptions): void {
    this.#group.add(new ParkChange(this.#context, this.#number, options), false);
  }

  /** It is still there. */
  release(): void {
    return;
  }

  commitNow(): void {
    this.#group.add(nothing, true);
  }

  get #number(): number {
    return this.#context.nameTable.id('destination', this.#destination);
  }
}

/** Only makes a commit come soon. */
const nothing: Change = { rows: 0, write: () => undefined };

/** Moves an event out of its block, behind another one of its user; repeated until durable. */
class ParkChange implements Change {
  readonly rows = 2;
  readonly #context: StoreContext;
  readonly #destination: number;
  readonly #options: ParkOptions;

  constructor(context: StoreContext, destination: number, options: ParkOptions) {
    this.#context = context;
    this.#destination = destination;
    this.#options = options;
  }

  get bytes(): number {
    return memoryOf(this.#options.event);
  }

  write(): void {
    const { event, user, behind } = this.#options;
    this.#context.queue.park(this.#destination, event, user, behind);
  }

  committed(): void {
    this.#options.onCommitted();
  }
}
