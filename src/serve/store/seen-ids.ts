import type { Clock } from '../../clock.js';
import type { StateFile } from '../../storage/state-file.js';
import { seenKeyBytes } from './seen-key.js';
import { seenForTicks, SeenTable, tickMs } from './seen-table.js';

export interface SeenOptions {
  readonly connection: StateFile;
  readonly clock: Clock;
  /** How many of the newest are kept in memory. Default 65,536. */
  readonly recentKeys?: number;
}

/** Keys are moved to the table by buckets; a commit moves at least one. */
const bucketCount = 2048;
/** Keys are moved faster than new ones arrive. */
const movedPerNew = 2;

/**
 * The messageIds of the last day, stored like a log-structured merge tree: in a table ordered by hash
 * alone, each new id would change a page of its own. So the newest are kept in memory and in a log on
 * disk; when there are enough, they are sorted and moved to the table, a few with each commit, and the
 * log is truncated.
 */
export class SeenIds {
  readonly #connection: StateFile;
  readonly #clock: Clock;
  readonly #table: SeenTable;
  readonly #recentKeys: number;
  /** Key to tick, like the other maps. */
  #recent = new Map<string, number>();
  #move: Move | undefined;
  /** Of the current transaction. */
  #group = new Map<string, number>();
  #moved = 0;

  constructor({ connection, clock, recentKeys = 65_536 }: SeenOptions) {
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
    const seen = this.#tickOf(key);
    const now = this.#tick();
    if (seen !== undefined && isRecent(seen, now)) return false;
    this.#group.set(key, now);
    return true;
  }

  /** When a key was recorded, if known; milliseconds since 1970, rounded down to a tick. */
  seenAt(key: string): number | undefined {
    const tick = this.#tickOf(key);
    const isKnown = tick !== undefined && isRecent(tick, this.#tick());
    return isKnown ? tick * tickMs : undefined;
  }

  /** At the end of a transaction. */
  write(): void {
    if (this.#group.size === 0) return;
    const keys = Buffer.from([...this.#group.keys()].join(''), 'latin1');
    const now = Math.floor(this.#clock.now() / 1000);
    this.#connection.run('INSERT INTO seen_log (at, keys) VALUES (?, ?)', now, keys);
    this.#moveSome(movedPerNew * this.#group.size);
    this.#table.buildFilter();
  }

  committed(): void {
    for (const [key, tick] of this.#group) this.#recent.set(key, tick);
    this.#group = new Map();
    const move = this.#move;
    if (move) move.next += this.#moved;
    if (move && move.next === move.buckets.length) this.#move = undefined;
    this.#moved = 0;
    if (!this.#move && this.#recent.size >= this.#recentKeys) this.#startMove();
  }

  rolledBack(): void {
    this.#group = new Map();
    this.#moved = 0;
  }

  #tick(): number {
    return Math.floor(this.#clock.now() / tickMs);
  }

  #tickOf(key: string): number | undefined {
    const inMemory = this.#group.get(key) ?? this.#recent.get(key) ?? this.#move?.ticks.get(key);
    return inMemory ?? this.#table.tickOf(key);
  }

  #startMove(): void {
    const last = this.#connection.get('SELECT max(id) AS id FROM seen_log');
    const buckets: string[][] = Array.from({ length: bucketCount }, () => []);
    for (const key of this.#recent.keys()) buckets[bucketOf(key)]!.push(key);
    this.#move = { ticks: this.#recent, buckets, next: 0, lastLog: Number(last?.id) };
    this.#recent = new Map();
  }

  #moveSome(atLeast: number): void {
    const move = this.#move;
    if (!move) return;
    const { buckets, next, ticks, lastLog } = move;
    for (let keys = 0; keys < atLeast && next + this.#moved < buckets.length; this.#moved++) {
      const bucket = buckets[next + this.#moved]!;
      this.#table.add(bucket.sort(), (key) => ticks.get(key)!);
      keys += bucket.length;
    }
    const isDone = next + this.#moved === buckets.length;
    if (isDone) this.#connection.run('DELETE FROM seen_log WHERE id <= ?', lastLog);
  }
}

/** A tick in the future was recorded before the clock was set back; it also counts for a day. */
function isRecent(tick: number, now: number): boolean {
  return Math.abs(now - tick) <= seenForTicks;
}

/** Keys that are being moved from memory to the table. */
interface Move {
  readonly ticks: ReadonlyMap<string, number>;
  /** Keys by their first bits. */
  readonly buckets: readonly string[][];
  /** The first bucket that is not moved yet. */
  next: number;
  /** The last row of the log with these keys. */
  readonly lastLog: number;
}

/** Keys of one bucket have the same first byte. */
function bucketOf(key: string): number {
  return (key.charCodeAt(0) << 3) | (key.charCodeAt(1) >> 5);
}
