import type { DeletedUser } from '../store/deleted-users.js';
import type { ReadEvent } from './block.js';
import type { KeepSettings } from './settings.js';

/** Behind a block: where to go on. Each engine has its own members. */
export type KeptPosition = Readonly<Record<string, number>>;

/** Events that are read together. They have the same retention, and their bytes only until the next ones are read. */
export interface ReadBlock {
  readonly events: readonly ReadEvent[];
  readonly retentionMs: number;
  /** Behind it. */
  readonly position: KeptPosition;
  /** Whether its events have their places in it alone; else these ascend over all that is kept. */
  readonly hasOwnPlaces: boolean;
}

/** What is outside of these times of arrival, in milliseconds since 1970, may be left out. */
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
  /** Nothing is kept, and nothing deleted, before. Applies from now on; what is kept already goes by the shorter retention. */
  configure(settings: KeepSettings): void;
  /** About in the order of arrival, also beside services that write and delete them. @throws what the store throws */
  read(options?: ReadKeptOptions): AsyncIterable<ReadBlock>;
  /**
   * Removes the events of these users, received before the request. Resolves to whether all is done and durable.
   * @throws what the store throws; it can be called again
   */
  remove(users: readonly DeletedUser[], mayContinue: () => boolean): Promise<boolean>;
}
