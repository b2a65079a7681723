import type { Clock } from '../../../clock.js';
import type { StateFile } from '../../../storage/state-file.js';
import { seenKeyBytes } from '../seen-key.js';
import { SeenTable } from './seen-table.js';
import { isExpired, tickMs } from './seen-tick.js';

export interface SeenOptions {
  readonly connection: StateFile;
  readonly clock: Clock;
  /** With how many keys in memory a move to the table begins. Default 16,384. */
  readonly memtableKeys?: number;
}

/** In place of the tick of a key that was forgotten; it has expired at any time. */
const forgotten = -1;

/** Keys are moved faster than new ones arrive. */
const movedPerNew = 2;

/**
 * The messageIds of the last day, by their keys. New ones are kept in memory and in a log on disk; when
 * there are enough, they are moved to the table, a few with each commit, and the log is truncated.
 */
export class SeenIds {
  readonly #connection: StateFile;
  readonly #clock: Clock;
  readonly #table: SeenTable;
  readonly #memtableKeys: number;
  /** Key to tick; some may have expired. */
  #memtable = new Map<string, number>();
  /** Keys that the current transaction has set in `#memtable`, and what it had for each before. */
  #uncommitted: string[] = [];
  #before: (number | undefined)[] = [];
  /** Whether some of those are forgotten. */
  #hasForgotten = false;
  #move: Move | undefined;
  /** How many groups of `#move` the current transaction has written. */
  #movedGroups = 0;

  constructor({ connection, clock, memtableKeys = 16_384 }: SeenOptions) {
    this.#connection = connection;
    this.#clock = clock;
    this.#table = new SeenTable(connection);
    this.#memtableKeys = memtableKeys;
    for (const { at, keys } of connection.all('SELECT at, keys FROM seen_log ORDER BY id')) {
      const text = Buffer.from(keys as Uint8Array).toString('latin1');
      const tick = Number(at) < 0 ? forgotten : Math.floor((Number(at) * 1000) / tickMs);
      for (let i = 0; i < text.length; i += seenKeyBytes) {
        this.#memtable.set(text.slice(i, i + seenKeyBytes), tick);
      }
    }
  }

  /** Within a transaction: records a key and returns whether it was new within the last day. */
  note(key: string): boolean {
    const now = this.#tick();
    if (this.#tickOf(key, now) !== undefined) return false;
    this.#set(key, now);
    return true;
  }

  /** Within a transaction: the key is new again. */
  forget(key: string): void {
    this.#set(key, forgotten);
    this.#hasForgotten = true;
  }

  /** When a key was recorded, if known; milliseconds since 1970, rounded down to a tick. */
  seenAt(key: string): number | undefined {
    const tick = this.#tickOf(key, this.#tick());
    return tick === undefined ? undefined : tick * tickMs;
  }

  /** At the end of a transaction. */
  write(): void {
    if (this.#uncommitted.length === 0) return;
    const now = Math.floor(this.#clock.now() / 1000);
    if (!this.#hasForgotten) this.#log(now, this.#uncommitted);
    else {
      const isForgotten = (key: string): boolean => this.#memtable.get(key) === forgotten;
      this.#log(
        now,
        this.#uncommitted.filter((key) => !isForgotten(key)),
      );
      this.#log(forgotten, this.#uncommitted.filter(isForgotten));
    }
    this.#moveSome(movedPerNew * this.#uncommitted.length);
    this.#table.buildFilter();
  }

  committed(): void {
    this.#clear();
    const move = this.#move;
    if (move) move.next += this.#movedGroups;
    if (move && move.next === move.groups.length) this.#move = undefined;
    this.#movedGroups = 0;
    if (!this.#move && this.#memtable.size >= this.#memtableKeys) this.#startMove();
  }

  rolledBack(): void {
    for (let i = this.#uncommitted.length - 1; i >= 0; i--) {
      const before = this.#before[i];
      if (before === undefined) this.#memtable.delete(this.#uncommitted[i]!);
      else this.#memtable.set(this.#uncommitted[i]!, before);
    }
    this.#clear();
    this.#movedGroups = 0;
  }

  #clear(): void {
    this.#uncommitted = [];
    this.#before = [];
    this.#hasForgotten = false;
  }

  #set(key: string, tick: number): void {
    this.#before.push(this.#memtable.get(key));
    this.#uncommitted.push(key);
    this.#memtable.set(key, tick);
  }

  #log(at: number, keys: readonly string[]): void {
    if (keys.length === 0) return;
    const bytes = Buffer.from(keys.join(''), 'latin1');
    this.#connection.run('INSERT INTO seen_log (at, keys) VALUES (?, ?)', at, bytes);
  }

  #tick(): number {
    return Math.floor(this.#clock.now() / tickMs);
  }

  /** Undefined for a key that is unknown or expired. */
  #tickOf(key: string, now: number): number | undefined {
    const inMemory = this.#memtable.get(key) ?? this.#move?.ticks.get(key);
    if (inMemory === undefined) return this.#table.tickOf(key, now);
    return isExpired(inMemory, now) ? undefined : inMemory;
  }

  #startMove(): void {
    const last = this.#connection.get('SELECT max(id) AS id FROM seen_log');
    const groups: string[][] = Array.from({ length: 256 }, () => []);
    for (const key of this.#memtable.keys()) groups[key.charCodeAt(0)]!.push(key);
    this.#move = { ticks: this.#memtable, groups, next: 0, lastLogId: Number(last?.id) };
    this.#memtable = new Map();
  }

  /**
   * After a restart, the keys of an unfinished move are read from the log and moved again; the table may
   * have a key twice.
   */
  #moveSome(atLeastKeys: number): void {
    const move = this.#move;
    if (!move) return;
    const { groups, next, ticks, lastLogId } = move;
    const now = this.#tick();
    for (let keys = 0; keys < atLeastKeys && next + this.#movedGroups < groups.length;) {
      const group = groups[next + this.#movedGroups++]!;
      const tickOf = (key: string): number => ticks.get(key)!;
      for (const key of group) if (tickOf(key) === forgotten) this.#table.remove(key);
      this.#table.add(group, tickOf, now);
      keys += group.length;
    }
    const isDone = next + this.#movedGroups === groups.length;
    if (isDone) this.#connection.run('DELETE FROM seen_log WHERE id <= ?', lastLogId);
  }
}

/** Keys that are being moved from memory to the table. */
interface Move {
  readonly ticks: ReadonlyMap<string, number>;
  /** Keys by their first byte. */
  readonly groups: readonly string[][];
  /** The first group that is not moved and committed yet. */
  next: number;
  /** The last row of the log with these keys. */
  readonly lastLogId: number;
}
