import type { MemoryShare } from '../forward/memory-budget.js';
import { memoryOf } from '../store/stored.js';
import type { UserOrder } from '../store/user-order.js';
import type { ActiveUser } from './active-user.js';

/** How many events are parked at a time: each is in memory until that is durable. */
const maxParking = 512;

export interface ParkingOptions {
  readonly order: () => Pick<UserOrder, 'park'>;
  readonly share: MemoryShare;
  /** One event of the user is durably parked. */
  readonly onParked: (active: ActiveUser) => void;
  /** All that was being parked is durable. */
  readonly onEmpty: () => void;
}

/** Moves events from memory to the store, where they wait by their users. */
export class Parking {
  readonly #options: ParkingOptions;
  #count = 0;
  #bytes = 0;
  /** Incremented by `forget`: commits of an earlier generation are ignored. */
  #generation = 0;

  constructor(options: ParkingOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#count >= maxParking;
  }

  /** Parks the events of a user that are in memory behind the current one. */
  park(active: ActiveUser): void {
    const { held, user } = active;
    active.hasParked = true;
    active.held = [];
    this.#count += held.length;
    const generation = this.#generation;
    for (const event of held) {
      const bytes = memoryOf(event);
      this.#bytes += bytes;
      active.parking.add(event.id);
      const onCommitted = (): void => {
        if (generation === this.#generation) this.#parked(active, event.id, bytes);
      };
      this.#options.order().park({ event, user, behind: active.last, onCommitted });
      active.last = event.id;
    }
  }

  /** Forgets what is being parked: another process may have it, or the lane is closed. */
  forget(): void {
    this.#generation++;
    this.#options.share.keep(-this.#bytes);
    this.#count = this.#bytes = 0;
  }

  #parked(active: ActiveUser, id: number, bytes: number): void {
    const { share, onParked, onEmpty } = this.#options;
    share.keep(-bytes);
    this.#bytes -= bytes;
    this.#count--;
    active.parking.delete(id);
    onParked(active);
    if (this.#count === 0) onEmpty();
  }
}
