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
  /** `any`: whatever became of it there, but for what still waits. */
  readonly state: 'any' | 'delivered' | 'dead';
  /** Events a second; absent: as fast as the destination takes them. */
  readonly perSecond?: number;
}

/** What is behind: blocks, and a part of another one. */
export interface ReplayPosition {
  readonly after?: KeptPosition;
  /** Events of a block before this place. */
  readonly done: number;
  /** The position of that block. Absent: it is the next one. */
  readonly within?: KeptPosition;
  /** How many events there were to send in all when it began; absent until they are counted. */
  readonly total?: number;
}

/** The events of a block before this place are behind. @param isNext it is the first one behind `after` */
export function doneIn(
  { done, within }: ReplayPosition,
  block: ReadBlock,
  isNext: boolean,
): number {
  if (!block.hasOwnPlaces) return done;
  const isWithin = within ? isDeepStrictEqual(within, block.position) : isNext;
  return isWithin ? done : 0;
}

/** How many ended ones a store keeps, the newest. */
export const mostEndedReplays = 100;

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
  /** Ends one that runs, whoever works on it. Resolves to whether it ran. */
  stop(id: string): Promise<boolean>;

  /** Those that run and are in nobody's hands, as far as they are: they are in ours now. May return those that were before. */
  take(): Awaitable<StoredReplay[]>;
  /** Whether one that was taken is still ours, and was not stopped. */
  isOurs(id: string): boolean;
  /** Gives one back that was taken. */
  release(id: string): Awaitable<void>;
  /**
   * Queues these events, but for those of users whose deletion was requested since they were read, and notes how far it is,
   * as one; does nothing for a replay that is not ours, or was stopped.
   */
  add(progress: Progress, destination: string, onStored: OnStored): Promise<void>;
  /** Ends one that was taken, if it is still ours. */
  end(id: string, state: 'finished' | 'failed', message?: string): Promise<void>;

  /** Whether fewer events than this wait for their first attempt at a destination. */
  hasRoom(destination: string, most: number): Awaitable<boolean>;
  /** Returns what finds those that still wait for a destination; it may remember what it has read. */
  waitingFor(
    destination: string,
  ): (events: readonly ReadEvent[]) => Awaitable<ReadonlySet<ReadEvent>>;
  /** Those that are dead letters of a destination. */
  dead(destination: string, events: readonly ReadEvent[]): Awaitable<ReadonlySet<ReadEvent>>;
}
