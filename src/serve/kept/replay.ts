import type { KeptEvent } from './block.js';
import type { KeptPosition } from './reader.js';
import type { StoredEvent } from '../store/stored.js';
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

/** What is behind: blocks, and so many events of the next one. */
export interface ReplayPosition {
  readonly after?: KeptPosition;
  readonly done: number;
}

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

export interface Progress {
  readonly id: string;
  readonly events: readonly KeptEvent[];
  readonly position: ReplayPosition;
}

/** As `OnStored` of the store. */
export type OnQueued = (event: StoredEvent, destinations: readonly string[]) => void;

/** What a store knows of replays. Promises resolve when it is durable; they throw StateError when it cannot be. */
export interface ReplayStore {
  /** The newest first. */
  list(): StoredReplay[];
  create(id: string, request: ReplayRequest): Promise<void>;
  /** Queues these events, and notes how far it is, as one; does nothing for a replay that does not run anymore. */
  add(progress: Progress, destination: string, onStored: OnQueued): Promise<void>;
  /** Ends one that runs. */
  end(id: string, state: ReplayState, message?: string): Promise<void>;
  /** Whether an event still waits for a destination. */
  isWaiting(destination: string, event: KeptEvent): boolean;
  /** Whether it is a dead letter of a destination. */
  isDead(destination: string, event: KeptEvent): boolean;
}
