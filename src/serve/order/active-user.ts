import type { StoredEvent } from '../store/stored.js';

/** A user with an event in hand: the next one has to wait for it. */
export interface ActiveUser {
  readonly user: string;
  /** The event that may be sent, or is. */
  current: number | undefined;
  /** Whether it has ended, and that is not durable yet. */
  isEnding: boolean;
  /** Those behind it in memory, in their order. */
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

export function activeUser(user: string): ActiveUser {
  const parking = new Set<number>();
  return {
    ...{ user, current: undefined, isEnding: false, held: [], last: 0, parking },
    ...{ hasParked: false, isAsking: false, isStale: false },
  };
}
