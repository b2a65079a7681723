import type { Clock } from '../../clock.js';
import type { StateFile } from '../../storage/state-file.js';
import { seenKeyBytes } from './seen-key.js';
import { SeenTable } from './seen-table.js';
import { isRecent, tickMs } from './seen-tick.js';

export interface SeenOptions {
  readonly connection: StateFile;
  readonly clock: Clock;
  /** How many of the newest are kept in memory. Default 16,384. */
  readonly recentKeys?: number;
}

/** Keys are moved faster than new ones arrive. */
const movedPerNew = 2;

/**
 * The messageIds of the last day. The newest are kept in memory and in a log on disk; when there are
 * enough, they are moved to the table, a few with each commit, and the log is truncated.
 */
export class SeenIds {
  readonly #connection: StateFile;
  readonly #clock: Clock;
  readonly #table: SeenTable;
  readonly #recentKeys: number;
  /** Key to tick, like the other maps. */
  #recent = new Map<string, number>();
  #move: Move | undefined;
  /** Those of the current transaction, which are in `#recent`, too. */
  #group: string[] = [];
  #moved = 0;

  constructor({ connection, clock, recentKeys = 16_384 }: SeenOptions) {
    this.#connection = connection;
    this.#clock = clock;
    this.#table = new SeenTable(connection);
    this.#recentKeys = recentKeys;
    for (const { at, keys } of connection.all('SELECT at, keys FROM seen_log ORDER BY at, id')) {
      const text = Buffer.from(keys as Uint8Array).toString('latin1');
      const tick = Math.floor((Number(at) * 1000) / tickMs);
      for (let i = 0; i < text.length; i += seenKeyBytes) {
        this.#recent.set(text.slice(i, i + seenKeyBytes), tick);
      }
    }
  }

  /** Within a transaction: records a key and returns whether it was new within the last day. */
  note(key: string): boolean {
    const now = this.#tick();
    if (this.#recentTickOf(key, now) !== undefined) return false;
    this.#recent.set(key, now);
    this.#group.push(key);
    return true;
  }

  /** When a key was recorded, if known; milliseconds since 1970, rounded down to a tick. */
  seenAt(key: string): number | undefined {
    const tick = this.#recentTickOf(key, this.#tick());
    return tick === undefined ? undefined : tick * tickMs;
  }

  /** At the end of a transaction. */
  write(): void {
    if (this.#group.length === 0) return;
    const keys = Buffer.from(this.#group.join(''), 'latin1');
    const now = Math.floor(this.#clock.now() / 1000);
    this.#connection.run('INSERT INTO seen_log (at, keys) VALUES (?, ?)', now, keys);
    this.#moveSome(movedPerNew * this.#group.length);
    this.#table.buildFilter();
  }

  committed(): void {
    this.#group = [];
    const move = this.#move;
    if (move) move.next += this.#moved;
    if (move && move.next === move.buckets.length) this.#move = undefined;
    this.#moved = 0;
    if (!this.#move && this.#recent.size >= this.#recentKeys) this.#startMove();
  }

  /** What an id of the transaction replaced was not recent, and need not be restored. */
  rolledBack(): void {
    for (const key of this.#group) this.#recent.delete(key);
    this.#group = [];
    this.#moved = 0;
  }

  #tick(): number {
    return Math.floor(this.#clock.now() / tickMs);
  }

  #recentTickOf(key: string, now: number): number | undefined {
    const inMemory = this.#recent.get(key) ?? this.#move?.ticks.get(key);
    if (inMemory === undefined) return this.#table.tickOf(key, now);
    return isRecent(inMemory, now) ? inMemory : undefined;
  }

  #startMove(): void {
    const last = this.#connection.get('SELECT max(id) AS id FROM seen_log');
    const buckets: string[][] = Array.from({ length: 256 }, () => []);
    for (const key of this.#recent.keys()) buckets[key.charCodeAt(0)]!.push(key);
    this.#move = { ticks: this.#recent, buckets, next: 0, lastLog: Number(last?.id) };
    this.#recent = new Map();
  }

  #moveSome(atLeast: number): void {
    const move = this.#move;
    if (!move) return;
    const { buckets, next, ticks, lastLog } = move;
    const now = this.#tick();
    for (let keys = 0; keys < atLeast && next + this.#moved < buckets.length; this.#moved++) {
      const bucket = buckets[next + this.#moved]!;
      this.#table.add(bucket, (key) => ticks.get(key)!, now);
      keys += bucket.length;
    }
    const isDone = next + this.#moved === buckets.length;
    if (isDone) this.#connection.run('DELETE FROM seen_log WHERE id <= ?', lastLog);
  }
}

/** Keys that are being moved from memory to the table. */
interface Move {
  readonly ticks: ReadonlyMap<string, number>;
  /** Keys by their first byte. */
  readonly buckets: readonly string[][];
  /** The first bucket that is not moved yet. */
  next: number;
  /** The last row of the log with these keys. */
  readonly lastLog: number;
}
