import type { DeletedUser } from '../store/deleted-users.js';
import type { ReadEvent } from './block.js';
import type { KeepSettings } from './settings.js';

/** Where reading goes on after a block. Each engine has its own members. */
export type KeptPosition = Readonly<Record<string, number>>;

/** Events that are read together, of one retention. Their bytes are valid until the next block is read. */
export interface ReadBlock {
  readonly events: readonly ReadEvent[];
  readonly retentionMs: number;
  /** Where reading goes on after it. */
  readonly position: KeptPosition;
  /** Whether the places of its events (`at`) begin anew with it; else they ascend over all kept events. */
  readonly hasOwnPlaces: boolean;
}

/** Events outside of these times of arrival (milliseconds since 1970) may be left out. */
export interface ReadKeptOptions {
  /** Default: the beginning. */
  readonly after?: KeptPosition | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/**
 * The events that a service has accepted, for their retention. An engine of a store adds them in the transaction that
 * accepts them, unless they are deletions, and deletes them when their time has come, or the oldest of them when they
 * take too much space.
 */
export interface KeptEvents {
  readonly settings: KeepSettings;
  /** Before it, nothing is kept or deleted. For events that are kept already, the shorter retention applies. */
  configure(settings: KeepSettings): void;
  /** About in the order of arrival, also beside services that write and delete them. @throws what the store throws */
  read(options?: ReadKeptOptions): AsyncIterable<ReadBlock>;
  /**
   * Removes the events of these users, received before the request. Resolves to whether all is done and durable.
   * @throws what the store throws; it can be called again
   */
  remove(users: readonly DeletedUser[], mayContinue: () => boolean): Promise<boolean>;
}
