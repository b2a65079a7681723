import type { EndpointDeliveryState, ResponseExcerpt, RetryState } from '../../delivery/outcome.js';
import type { EndpointNotice } from '../../delivery/endpoint-notice.js';
import type { LeaseRequest, TurnLease } from '../../turn-lease.js';
import type { DownReason } from '../../delivery/circuit-breaker.js';
import type { MemoryShare } from '../forward/memory-budget.js';
import type { KeptEvents } from '../kept/kept-events.js';
import type { ReplayStore } from '../kept/replay-store.js';
import type { Accepted, Deletion, IngestBatch } from '../types.js';
import type { Awaitable } from './awaitable.js';
import type { DeletedUser } from './deleted-users.js';
import type { ReloadedEvent } from './reloaded-event.js';
import type { OnStored, RetryEvent, StoredEvent } from './stored.js';
import type { Finder, Views } from './store-views.js';
import type { UserOrder } from './user-order.js';

/**
 * What a service keeps: the events that it has accepted and not delivered yet, dead letters, rejected calls, deletion
 * requests, counters. Two engines: `sqlite/` in a file for one process, `postgres/` on a server for any number of
 * instances. Writes are grouped into transactions; a promise resolves when its part is durable.
 *
 *     accept → lane (take, send) → end: delivered, skipped, a retry, or a dead letter → redeliver
 *
 * What is read without waiting is kept in memory: of SQLite as of the last commit, of PostgreSQL at most a second old.
 */
export interface ServiceStore {
  /** The path of the file, or the URL of the server without its password; for messages. */
  readonly name: string;
  /**
   * Why the last commit failed, or the server cannot be reached; undefined while all is well. Nothing new may be sent
   * meanwhile, since its outcome might be lost.
   */
  readonly failure: unknown;

  /**
   * Puts a batch: an event is queued for each destination of its route that did not get it from the same source within
   * a day. `onStored` is called for each queued event by an engine of one process, so that it need not be read again;
   * an engine of several wakes its lanes itself. `onRepeated` is called for each event that all its destinations had.
   * @throws StateError when it cannot be made durable.
   */
  accept(
    batch: IngestBatch,
    routes: readonly Route[],
    onStored: OnStored,
    onRepeated?: OnRepeated,
  ): Promise<void>;
  /** The same for a deletion, which goes to these destinations. @throws as `accept` does */
  acceptDeletion(
    deletion: Deletion,
    destinations: readonly string[],
    onStored: OnStored,
  ): Promise<void>;
  /** Queues dead letters again. Resolves to how many of them exist. @throws as `accept` does */
  redeliver(ids: readonly number[], onStored: OnStored): Promise<number>;

  /** Registers these names, before lanes are opened. @throws StateError when that cannot be written */
  prepare(sources: readonly string[], destinations: readonly string[]): Awaitable<void>;
  /** Hands out what waits for a destination. `close` of an earlier lane of it must have been called. */
  lane(destination: string, user: LaneUser): Lane;
  /** The same of a destination that is `ordered`. */
  orderedLane(destination: string, user: LaneUser): OrderedStoreLane;
  /** What instances know of the URLs of destinations; undefined where there is one process alone. */
  readonly endpoints?: SharedEndpoints;
  /** Expires some of the events that have waited too long. Resolves to the position to continue from. @throws as `accept` does */
  expire(options: ExpireOptions): Promise<ExpiryPosition | undefined>;
  /** Makes durable what was ended so far. */
  commit(): Awaitable<void>;

  /** Whether this destination has, or had, events. */
  knowsDestination(destination: string): boolean;
  /** Whether this source has, or had, events. */
  knowsSource(source: string): boolean;
  length(destination: string): QueueLength;
  /** When the oldest event without an attempt was queued; milliseconds since 1970. */
  notAttemptedSince(destination: string): number | undefined;
  /** When the next retry is due; milliseconds since 1970. */
  nextRetryAt(destination: string): number | undefined;
  /** What has waited longest for a destination, attempted or not; undefined when nothing waits. */
  oldestWaiting(destination: string): Queued | undefined;
  /** Names of all destinations for which events wait, still configured or not. */
  waitingFor(): string[];
  /** What cannot be read, and waits for no destination anymore. */
  readonly setAside: SetAside;

  /** Age of the oldest transaction of anybody in the database; undefined of a file. */
  readonly oldestTransactionSeconds?: number;

  /** The events that were accepted, for their retention; undefined where the engine keeps none. */
  readonly kept?: KeptEvents;
  /** The replays of kept events; undefined where there are none. */
  readonly replays?: ReplayStore;

  /** Lists for operators. */
  readonly views: Views;
  /** Searches all that is stored. */
  readonly finder: Finder;

  /** Sets how many dead letters are kept from now on, the newest. */
  keepDeadLetters(limit: number): void;
  /** The users of the deletion requests that are kept. */
  deletedUsers(): Awaitable<DeletedUser[]>;
  /** Those whose ids may still be in the delivery log, the oldest first. */
  pendingRedactions(): Awaitable<(DeletedUser & { readonly id: number })[]>;
  /**
   * Overwrites what was deleted, where the engine leaves it in its files. Resolves to whether all is done.
   * @throws StateError when it cannot be written
   */
  eraseFreed?(mayContinue: () => boolean): Promise<boolean>;
  /** Records that these are removed from the log: those with lower ids may be stored later. @throws as `accept` does */
  markRedacted(ids: readonly number[]): Promise<void>;

  /**
   * Makes all durable, and closes the store. Later changes are rejected.
   * @throws StateError when the outcomes of some deliveries could not be recorded; it is closed then, too.
   */
  close(): Awaitable<void>;
}

/** Called by a store as things happen to it. */
export interface StoreListener {
  /** A commit or its flush has failed. Changes without a waiting caller are retried. */
  readonly onFailure?: (error: unknown) => void;
  /** An unexpected exception; the state is durable and stays usable. */
  readonly onDefect?: (error: unknown) => void;
  /** Dead letters of a destination were dropped for newer ones. */
  readonly onDropped?: (destination: string, count: number) => void;
  /** Kept events were dropped before their retention had ended. */
  readonly onKeptDropped?: (count: number) => void;
  /** Accepted events could not be kept; they are delivered all the same. */
  readonly onKeepFailure?: (error: unknown) => void;
  /** Events of a destination cannot be read and were set aside. */
  readonly onDamaged?: (destination: string, events: number) => void;
}

/** Where an accepted event goes. */
export interface Route {
  /** Names of the destinations that get it. */
  readonly destinations: readonly string[];
  /** Names of those that its integrations turn off. */
  readonly skipped: readonly string[];
}

/** Called for a skipped event: all its destinations had it within a day. */
export type OnRepeated = (accepted: Accepted, batch: IngestBatch) => void;

/** What waits for one destination, handed out to be sent. */
export interface Lane {
  readonly backlog: Backlog;
  readonly retries: Retries;
  /** Ends an event that was taken, or postpones it; repeated until it is durable. */
  end(options: EndOptions): void;
  /** The event with a text that can be dropped from memory and read again at once; undefined if it cannot. */
  unloadable(event: StoredEvent): ReloadedEvent | undefined;
  /** Whether it hands out nothing more until some of what was taken have ended. Default: never. */
  readonly isFull?: boolean;
  /** Events without an attempt up to this id are in memory, so that `expire` leaves them alone. */
  readonly loadedUpTo: number;
  /** Releases all that was not sent. */
  close(): Awaitable<void>;
}

/** The lane of a destination whose events go one after the other for each user (by `userKeyOf`). */
export interface OrderedStoreLane extends Lane {
  readonly order: UserOrder;
  /** Begins anew after `onLost`, once nothing that was taken before is in flight. */
  restart(): void;
}

/** What is called for a lane. */
export interface LaneUser {
  /** What the lane may hold in memory. */
  readonly share: MemoryShare;
  /** Something may be there to be taken. */
  readonly onMore: () => void;
  /** Another process may have the events that were taken: those not sent yet must not be sent. */
  readonly onLost: () => void;
}

/** What is known of the URLs of a destination, shared by all instances. */
export interface SharedEndpoints {
  /** `listener` is called with what holds, and with each change by another instance; the returned function ends it. */
  subscribe(destination: string, listener: EndpointListener): () => void;
  /** Tells other instances what this one has found out about a URL. `url` has no query. */
  publish(destination: string, url: string, notice: EndpointNotice): void;
  /** Whether this instance may probe the URL now: one a second may, over all. */
  mayProbe(destination: string, url: string): Promise<boolean>;
  /**
   * The next turns of the rate of the URL at this position, over all instances. Undefined while the store is away.
   */
  leaseTurns(
    destination: string,
    url: number,
    perSecond: number,
    request: LeaseRequest,
  ): Promise<TurnLease | undefined>;
}

export type EndpointListener = (url: string, notice: EndpointNotice) => void;

/** Events that were not attempted, in the order of arrival. */
export interface Backlog {
  /** An event was just stored. */
  offer(event: StoredEvent): void;
  /** Removes and returns the next event, if one is there. @throws StateError when the store cannot be read. */
  take(): StoredEvent | undefined;
  /**
   * Removes and returns the event that was offered last, or one that came late. It is meant for a probe: the first ones
   * may fail for the same reason as those that were attempted.
   */
  takeNewest(): StoredEvent | undefined;
  /** Puts back an event that was taken and not attempted. */
  release(event: StoredEvent): void;
  /** Drops from memory what was not taken; it is read from the store again. */
  unload(): void;
}

/** Events that wait for their next attempt. */
export interface Retries {
  /** When to take the next one, by the monotonic clock; Infinity when none waits. */
  readonly nextAt: number;
  /** Removes and returns the next due event, if any. @throws StateError when the store cannot be read. */
  take(): RetryEvent | undefined;
  /** Removes and returns the retry that is due first, or will be. Its states are as they were stored. */
  takeEarliest(): RetryEvent | undefined;
  /** An event is durably postponed by this delay from now. */
  postponed(id: number, delayMs: number): void;
  /** Puts back a retry that was taken and not sent; it is still due. */
  release(event: StoredEvent): void;
  /** An event has durably ended. */
  ended(id: number): void;
  /** The URLs (by their index) that were down or paused before this start, each with a result that shows it. */
  outages(): ReadonlyMap<number, DownReason>;
}

/** Why an event was given up. */
export interface Failure {
  /** Stable: `status_404`, `timeout`, `private_address`, … */
  readonly code: string;
  /** One sentence for a person. */
  readonly message: string;
  /** All attempts. */
  readonly attempts: number;
  readonly lastStatus: number | null;
  /** What the last response said; unknown of an event that expired. */
  readonly response?: ResponseExcerpt | undefined;
}

/** The failure of an event that could not be sent in time. */
export const expired = {
  code: 'expired',
  message: 'it waited for 7 days; the destination was off or too slow',
} as const;

/** The failure of an event that expired, with what is known of its attempts. */
export function expiryFailure(endpointDeliveries: readonly EndpointDeliveryState[] = []): Failure {
  const attempts = endpointDeliveries.reduce((sum, { attempts }) => sum + attempts, 0);
  return { ...expired, attempts, lastStatus: endpointDeliveries[0]?.status ?? null };
}

/** How a round of attempts at one destination ended. */
export type Ending =
  | { readonly kind: 'delivered' | 'skipped' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | {
      readonly kind: 'postponed';
      readonly retry: RetryState;
      /** Delay from the last attempt to the next one, in milliseconds. */
      readonly delayMs: number;
      readonly code: string;
      readonly message: string;
    };

export interface EndOptions {
  readonly event: StoredEvent;
  readonly ending: Ending;
  /** Whose event it is, by `userKeyOf`: of a destination that is `ordered`. */
  readonly user?: string;
  /** Called when reads of the store see the ending. */
  readonly onCommitted: () => void;
}

/** Which events of a destination may expire. */
export interface Unused {
  /** Events without an attempt up to this id are in memory. */
  readonly loadedUpTo: number;
  /** Whether those that wait for a retry are in use, too. */
  readonly keepsRetries: boolean;
}

/** Position of a scan through the waiting events of a destination. */
export interface ExpiryPosition {
  /** Id of the last examined event without an attempt. */
  readonly notAttempted: number;
  /** Due time and event id of the last examined retry; retries are in this order. */
  readonly dueAt: number;
  readonly retry: number;
  /** Id of the last examined event that is parked. */
  readonly parked: number;
}

export const expiryStart: ExpiryPosition = { notAttempted: 0, dueAt: 0, retry: 0, parked: 0 };

/** Called for an event that has expired. */
export type OnExpired = (event: StoredEvent, failure: Failure) => void;

/** `unused`, `from` and `limit` are for an engine of one process: a shared one takes jobs, which no other has then. */
export interface ExpireOptions {
  /** Name. */
  readonly destination: string;
  /** Asked within the transaction. */
  readonly unused: () => Unused;
  /** Where to continue. */
  readonly from: ExpiryPosition;
  /** How many events without an attempt, and how many retries, are examined. */
  readonly limit: number;
  readonly onExpired: OnExpired;
}

/** How many events wait for one destination, including those in flight. */
export interface QueueLength {
  readonly waiting: number;
  /** Of those, how many wait for a retry. */
  readonly retrying: number;
}

/** An event that waits, by its id. */
export interface Queued {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly queuedAt: number;
}

/** How much is set aside. */
export interface SetAside {
  /** Blocks, and retries. A block that waited for several destinations is one. */
  readonly blocks: number;
  /** Once for each destination. */
  readonly events: number;
}
