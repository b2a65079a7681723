import type { EventRecord } from '../event-record.js';
import type { Awaitable } from './awaitable.js';
import type { DeletedUsers } from './deleted-users.js';
import type { DeadLetter, DeletionRequest, RejectedCall, StoredRecord } from './records.js';
import type { RetryEvent } from './stored.js';
import type { UserQueue } from './user-order.js';

/** Selects a page of a list, the newest first. */
export interface Page {
  /** Only those of the destination or source with this name. */
  readonly of?: string | undefined;
  /** Only those with a smaller id: the last id of the previous page. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** A retry in the list of what waits. */
export interface ListedRetry {
  readonly id: number;
  readonly dueAt: number;
  /** Where it is, in a store that keeps retries in batches. */
  readonly batch?: number;
}

/** Counters over all instances. */
export interface Totals {
  ofSource(name: string): { readonly received: number; readonly rejected: number };
  ofDestination(name: string): { readonly delivered: number; readonly failed: number };
}

/** Lists for operators; forwarding does not need them. */
export interface Views {
  deadLetters(page: Page): Awaitable<DeadLetter[]>;
  /** The dead letter of an event at a destination, by its `keyOf`. */
  deadLetter(key: string): Awaitable<DeadLetter | undefined>;
  /** Ids of the dead letters of a destination after this one, the oldest first. */
  deadLetterIds(destination: string, afterId: number, limit: number): Awaitable<number[]>;
  rejected(page: Page): Awaitable<RejectedCall[]>;
  /** Those of the newest rejected calls that are after this one, the oldest first. */
  rejectedAfter(id: number, limit: number, newest: number): RejectedCall[];
  deletions(page: Page): Awaitable<DeletionRequest[]>;
  /** The retries of a destination, the next one first. */
  retries(destination: string, limit: number): Awaitable<ListedRetry[]>;
  /** One of these with its event; undefined if it has ended, or cannot be read. */
  retry(destination: string, listed: ListedRetry): Awaitable<RetryEvent | undefined>;

  /** Users of an ordered destination whose events wait for one another, the longest queues first. */
  userQueues(destination: string, limit: number): Awaitable<UserQueue[]>;

  /** Identifies an event at a destination: the same in all lists, and after a restart. */
  keyOf(record: EventRecord): string;
  /** How many dead letters are kept, of one destination or of all. */
  deadLetterCount(destination?: string): number;
  /** Names of all destinations that have dead letters, still configured or not. */
  withDeadLetters(): string[];
  /** Whether anything was ever received. */
  readonly hasReceived: boolean;
  /**
   * What was received from a source, and what came of events at a destination, of all instances since the store was
   * created; undefined where the process itself has counted all since its start.
   */
  readonly totals?: Totals;
  /** How many events of a source were skipped as repeated, ever. */
  repeatedCount(source: string): number;
  /** How many dead letters of one destination, or of all, were dropped for newer ones, ever. */
  droppedCount(destination?: string): number;
  /** How many rejected calls are kept, of one source or of all. */
  rejectedCount(source?: string): number;
  /** How many deletion requests are kept, of one source or of all. */
  deletionCount(source?: string): number;
}

/** A search for a text. */
export interface Search<Item> {
  readonly text: string;
  /** Whether an item that contains the text is a result. */
  readonly isWanted: (item: Item) => boolean;
  /** Items at most. */
  readonly limit: number;
  /** Called after each step; yields to the event loop. Resolves to whether to go on. */
  readonly mayContinue: () => Promise<boolean>;
}

export interface Found<Item> {
  /** The newest first. */
  readonly items: readonly Item[];
  /** False: there may be more. */
  readonly isComplete: boolean;
}

/**
 * The results of the newest events, for searches. Nothing else depends on it, so a full or slow disk leaves gaps in it
 * and blocks nothing.
 */
export interface OutcomeLog {
  /** Their events before the deletion request are written without ids. */
  readonly deletedUsers: DeletedUsers;
  add(entry: EventRecord): void;
  /** Also finds what was added just now. */
  search(search: Search<EventRecord>): Promise<OutcomesFound>;
  /**
   * Removes the ids of these users from all that is written. Resolves to whether all is done and durable.
   * @throws what the disk or the server says; it can be called again
   */
  redact(users: DeletedUsers, mayContinue: () => boolean): Promise<boolean>;
  /** Writes pending entries; errors are ignored. */
  flush(): Promise<void>;
  close(): void;
}

export interface OutcomesFound extends Found<EventRecord> {
  /** When the oldest entry was written; milliseconds since 1970. Undefined while there is none. */
  readonly from: number | undefined;
}

/** Searches all stored rows for a text; ASCII letters match in any case. */
export interface Finder {
  /** Events without an attempt. */
  notAttempted(search: Search<StoredRecord>): Promise<Found<StoredRecord>>;
  /** Events that wait for a retry. */
  retries(search: Search<StoredRecord>): Promise<Found<StoredRecord>>;
  deadLetters(search: Search<DeadLetter>): Promise<Found<DeadLetter>>;
  rejected(search: Search<RejectedCall>): Promise<Found<RejectedCall>>;
  /**
   * When a source sent an event with this messageId within the last day: milliseconds since 1970,
   * within ten minutes. Undefined also for an id that evfwd generated.
   */
  seenAt(source: string, messageId: string): Awaitable<number | undefined>;
}
