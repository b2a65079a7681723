import { isDeepStrictEqual } from 'node:util';
import type { KeptEvent, ReadEvent } from './block.js';
import type { KeptPosition, ReadBlock } from './kept-events.js';
import type { Awaitable } from '../store/awaitable.js';
import type { OnStored } from '../store/stored.js';
import type { EventType } from '../../events/event.js';

/** What a replay is asked to send. Times of arrival are milliseconds since 1970. */
export interface ReplayRequest {
  /** Name. */
  readonly destination: string;
  readonly since?: number;
  readonly until?: number;
  readonly types?: readonly EventType[];
  readonly events?: readonly string[];
  readonly users?: readonly string[];
  readonly where?: readonly string[];
  /** What became of the event at the destination; `any`: anything, unless it still waits. */
  readonly state: 'any' | 'delivered' | 'dead';
  /** Events a second; absent: as fast as the destination takes them. */
  readonly perSecond?: number;
}

/** How far a replay is: the blocks that are done, and a part of another one. */
export interface ReplayPosition {
  /** The last block that is done. */
  readonly after?: KeptPosition;
  /** The events of the next block before this place are done. */
  readonly done: number;
  /** The position of the block that `done` is about, if it is not the one after `after`. */
  readonly within?: KeptPosition;
  /** How many events there were to send in all when it began; absent until they are counted. */
  readonly total?: number;
}

/**
 * The events of a block before this place are done.
 * @param isNext whether it is the first block after `position.after`
 */
export function doneIn(
  { done, within }: ReplayPosition,
  block: ReadBlock,
  isNext: boolean,
): number {
  if (!block.hasOwnPlaces) return done;
  const isWithin = within ? isDeepStrictEqual(within, block.position) : isNext;
  return isWithin ? done : 0;
}

/** How many replays that have ended a store keeps, the newest. */
export const maxEndedReplays = 100;

export type ReplayState = 'running' | 'finished' | 'stopped' | 'failed';

/** A replay as it is stored. */
export interface StoredReplay {
  readonly id: string;
  readonly request: ReplayRequest;
  readonly state: ReplayState;
  readonly createdAt: number;
  readonly endedAt: number | null;
  readonly position: ReplayPosition;
  /** How many events were queued. */
  readonly sent: number;
  /** Why it failed. */
  readonly message: string | null;
}

/** Events that were counted, and gone before their turn: by their age, or deleted for their user. */
export function skippedOf({ state, sent, position }: StoredReplay): number {
  // What waited when they were counted may have been delivered, and was sent.
  return state === 'finished' ? Math.max(0, (position.total ?? 0) - sent) : 0;
}

/** What is stored of a replay together: events that are queued, and the position after them. */
export interface Progress {
  readonly id: string;
  readonly events: readonly KeptEvent[];
  readonly position: ReplayPosition;
}

/**
 * What a store knows of replays. One process at a time works on a replay; in a store that several share, another one goes
 * on when that one is gone. Promises resolve when it is durable; they throw StateError when it cannot be.
 */
export interface ReplayStore {
  /** The newest first. */
  list(): Awaitable<StoredReplay[]>;
  /** How many run, as of a moment ago. */
  readonly running: number;
  create(id: string, request: ReplayRequest): Promise<void>;
  /** Stops a replay that runs, in whatever process. Resolves to whether it ran. */
  stop(id: string): Promise<boolean>;

  /** Takes replays that run and that no other process works on. May return those that this process has taken before. */
  take(): Awaitable<StoredReplay[]>;
  /** Whether a replay that was taken still belongs to this process, and was not stopped. */
  isOurs(id: string): boolean;
  /** Lets other processes take a replay that this one has taken. */
  release(id: string): Awaitable<void>;
  /**
   * In one transaction, queues these events and stores the position. Leaves out events of users whose deletion was
   * requested since they were read. Does nothing for a replay that is not ours, or was stopped.
   */
  add(progress: Progress, destination: string, onStored: OnStored): Promise<void>;
  /** Ends a replay that was taken, if it is still ours. */
  end(id: string, state: 'finished' | 'failed', message?: string): Promise<void>;

  /** Whether fewer events than this wait for their first attempt at a destination. */
  hasRoom(destination: string, limit: number): Awaitable<boolean>;
  /** Returns a function that finds the events which still wait for a destination. It may cache what it has read. */
  waitingFor(
    destination: string,
  ): (events: readonly ReadEvent[]) => Awaitable<ReadonlySet<ReadEvent>>;
  /** The events that are dead letters of a destination. */
  dead(destination: string, events: readonly ReadEvent[]): Awaitable<ReadonlySet<ReadEvent>>;
}
