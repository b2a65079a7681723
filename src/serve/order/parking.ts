import type { MemoryShare } from '../forward/memory-budget.js';
import { memoryOf } from '../store/stored.js';
import type { UserOrder } from '../store/user-order.js';
import type { ActiveUser } from './active-user.js';

/** Events that are being parked: each is in memory until that is durable. */
const maxParking = 512;

export interface ParkingOptions {
  readonly order: () => Pick<UserOrder, 'park'>;
  readonly share: MemoryShare;
  /** One event of the user is durably parked. */
  readonly onParked: (active: ActiveUser) => void;
  /** None is being parked anymore. */
  readonly onEmpty: () => void;
}

/** Moves events from memory to the store, where they wait by their users. */
export class Parking {
  readonly #options: ParkingOptions;
  #count = 0;
  #bytes = 0;
  /** Rises when all is forgotten, so that later commits do not count. */
  #generation = 0;

  constructor(options: ParkingOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#count >= maxParking;
  }

  /** Parks all that a user has in memory behind the current event. */
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

  /** Forgets what is being parked: it may be in the hands of another process, or is closed. */
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
