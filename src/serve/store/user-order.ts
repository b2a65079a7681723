import type { RetryEvent, StoredEvent } from './stored.js';

/**
 * The order of the events of users at a destination. The store knows an event by its user once it has left the queue:
 * since it waits for a retry, or since it is parked behind an earlier one. For each user it then has the earlier ones,
 * too, but for the one that the first parked event names.
 */
export interface UserOrder {
  /** Whether nobody's events are parked or wait for a retry, so that there is nothing to look up. */
  readonly isEmpty: boolean;
  /** The id of the first event of each of these users that is parked or waits for a retry. */
  heads(
    users: readonly string[],
  ): ReadonlyMap<string, number> | Promise<ReadonlyMap<string, number>>;
  /** The first event of each of these users, where it is parked and nothing before it waits. */
  next(
    users: readonly string[],
  ): ReadonlyMap<string, StoredEvent> | Promise<ReadonlyMap<string, StoredEvent>>;
  /** Users after this one in the order of their keys: all that have parked events are among them. */
  usersAfter(user: string, limit: number): readonly string[] | Promise<readonly string[]>;
  /** Moves an event that was taken out of the queue; repeated until it is durable. */
  park(options: ParkOptions): void;
  /** Puts back an event of `next` that was not sent. */
  release(id: number): void;
  /** That these events have ended or are parked is waited for: it becomes durable at once. */
  commitNow(ids: readonly number[]): void;
}

export interface ParkOptions {
  readonly event: StoredEvent;
  readonly user: string;
  /** Id of the event of the user before it, which may still be in the queue; 0 for none. */
  readonly behind: number;
  readonly onCommitted: () => void;
}

/** A user whose events wait for the first of them. */
export interface UserQueue {
  /** What the others wait for: parked while it is sent, or waiting for its retry. Undefined if it cannot be read. */
  readonly first: StoredEvent | RetryEvent | undefined;
  /** Why its last attempt failed; undefined before the first. */
  readonly failure?: { readonly code: string; readonly message: string };
  /** How many wait behind it. */
  readonly waiting: number;
}
