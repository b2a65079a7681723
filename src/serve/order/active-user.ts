import type { StoredEvent } from '../store/stored.js';

/** A user with a current event, for which the user's next events have to wait. */
export interface ActiveUser {
  readonly user: string;
  /** The id of the event that is sent, or is ready to be. */
  current: number | undefined;
  /** Whether the current event has ended, and that is not durable yet. */
  isEnding: boolean;
  /** The events behind it that wait in memory, in their order. */
  held: StoredEvent[];
  /** The last event of the user that was made current or parked. */
  last: number;
  /** Ids of events that are being parked, which is not durable yet. */
  readonly parking: Set<number>;
  /** Whether the store has parked events of the user. */
  hasParked: boolean;
  /** Whether a query to the store about the user is not answered yet. */
  isAsking: boolean;
  /** Whether events were parked since that query. */
  isStale: boolean;
}

export function activeUser(user: string): ActiveUser {
  const parking = new Set<number>();
  return {
    ...{ user, current: undefined, isEnding: false, held: [], last: 0, parking },
    ...{ hasParked: false, isAsking: false, isStale: false },
  };
}
