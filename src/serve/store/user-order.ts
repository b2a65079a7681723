import type { RetryEvent, StoredEvent } from './stored.js';

/**
 * The order of the events of users at a destination. The store indexes an event by its user once it has left the queue,
 * to wait for a retry or to be parked behind an earlier event of the user. All earlier ones of the user are indexed
 * then, except the one that the first parked event is `behind`, which may still be in the queue.
 */
export interface UserOrder {
  /** Whether no events are parked or wait for a retry. */
  readonly isEmpty: boolean;
  /** The id of the first event of each of these users that is parked or waits for a retry. */
  heads(
    users: readonly string[],
  ): ReadonlyMap<string, number> | Promise<ReadonlyMap<string, number>>;
  /** The first event of each of these users, if it is parked and the one before it has ended. */
  next(
    users: readonly string[],
  ): ReadonlyMap<string, StoredEvent> | Promise<ReadonlyMap<string, StoredEvent>>;
  /** Users after this one in the order of their keys, with all those that have parked events. */
  usersAfter(user: string, limit: number): readonly string[] | Promise<readonly string[]>;
  /** Parks an event that was taken; repeated until that is durable. */
  park(options: ParkOptions): void;
  /** Puts back an event of `next` that was not sent. */
  release(id: number): void;
  /** Stores the endings or parking of these events at once, since others wait for them. */
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
