import type { Clock } from '../../clock.js';
import type { StateFile } from '../../storage/state-file.js';
import { seenKeyBytes } from './seen-key.js';
import { seenForTicks, SeenTable, tickMs } from './seen-table.js';

export interface SeenOptions {
  readonly connection: StateFile;
  readonly clock: Clock;
  /** So many of the newest are kept in memory. Default 65,536. */
  readonly youngKeys?: number;
}

/** Parts of the keys that go to the table together; a commit moves one of them at least. */
const bucketCount = 2048;
/** They move faster than new ones come. */
const movedPerNew = 2;

/**
 * The messageIds of the last day. A table in the order of their hashes alone would have each new one
 * change a page of its own, anywhere in it. So the newest stand in memory, and in a log on disk; when
 * there are enough they go to the table sorted, a few with each commit, and the log is cut.
 */
export class SeenIds {
  readonly #connection: StateFile;
  readonly #clock: Clock;
  readonly #table: SeenTable;
  readonly #youngKeys: number;
  /** Key to tick, and so in the others. */
  #young = new Map<string, number>();
  #ripening: Ripening | undefined;
  /** Of the transaction under way. */
  #group = new Map<string, number>();
  #moved = 0;

  /** In the file whose schema is there. */
  constructor({ connection, clock, youngKeys = 65_536 }: SeenOptions) {
    this.#connection = connection;
    this.#clock = clock;
    this.#table = new SeenTable(connection);
    this.#youngKeys = youngKeys;
    for (const { at, keys } of connection.all('SELECT at, keys FROM seen_log ORDER BY at, id')) {
      const text = Buffer.from(keys as Uint8Array).toString('latin1');
      const tick = Math.floor((Number(at) * 1000) / tickMs);
      for (let i = 0; i < text.length; i += seenKeyBytes) {
        this.#young.set(text.slice(i, i + seenKeyBytes), tick);
      }
    }
  }

  /** Within a transaction: notes a key, and returns whether it was not seen within the last day. */
  note(key: string): boolean {
    const seen = this.#tickOf(key);
    const now = this.#tick();
    if (seen !== undefined && isYoung(seen, now)) return false;
    this.#group.set(key, now);
    return true;
  }

  /** When a key came, if it is known; milliseconds since 1970, to a tick. */
  seenAt(key: string): number | undefined {
    const tick = this.#tickOf(key);
    const isKnown = tick !== undefined && isYoung(tick, this.#tick());
    return isKnown ? tick * tickMs : undefined;
  }

  /** At the end of a transaction. */
  write(): void {
    if (this.#group.size === 0) return;
    const keys = Buffer.from([...this.#group.keys()].join(''), 'latin1');
    const now = Math.floor(this.#clock.now() / 1000);
    this.#connection.run('INSERT INTO seen_log (at, keys) VALUES (?, ?)', now, keys);
    this.#moveRipe(movedPerNew * this.#group.size);
  }

  committed(): void {
    for (const [key, tick] of this.#group) this.#young.set(key, tick);
    this.#group = new Map();
    const ripening = this.#ripening;
    if (ripening) ripening.next += this.#moved;
    if (ripening && ripening.next === ripening.buckets.length) this.#ripening = undefined;
    this.#moved = 0;
    if (!this.#ripening && this.#young.size >= this.#youngKeys) this.#ripen();
  }

  rolledBack(): void {
    this.#group = new Map();
    this.#moved = 0;
  }

  #tick(): number {
    return Math.floor(this.#clock.now() / tickMs);
  }

  #tickOf(key: string): number | undefined {
    const inMemory = this.#group.get(key) ?? this.#young.get(key) ?? this.#ripening?.ticks.get(key);
    return inMemory ?? this.#table.tickOf(key);
  }

  #ripen(): void {
    const last = this.#connection.get('SELECT max(id) AS id FROM seen_log');
    const buckets: string[][] = Array.from({ length: bucketCount }, () => []);
    for (const key of this.#young.keys()) buckets[bucketOf(key)]!.push(key);
    this.#ripening = { ticks: this.#young, buckets, next: 0, lastLog: Number(last?.id) };
    this.#young = new Map();
  }

  #moveRipe(atLeast: number): void {
    const ripening = this.#ripening;
    if (!ripening) return;
    const { buckets, next, ticks, lastLog } = ripening;
    for (let keys = 0; keys < atLeast && next + this.#moved < buckets.length; this.#moved++) {
      const bucket = buckets[next + this.#moved]!;
      this.#table.add(bucket.sort(), (key) => ticks.get(key)!);
      keys += bucket.length;
    }
    const isDone = next + this.#moved === buckets.length;
    if (isDone) this.#connection.run('DELETE FROM seen_log WHERE id <= ?', lastLog);
  }
}

/** One from the future was noted before the clock was set back; then, too, a day is enough. */
function isYoung(tick: number, now: number): boolean {
  return Math.abs(now - tick) <= seenForTicks;
}

/** Keys on their way from memory to the table. */
interface Ripening {
  readonly ticks: ReadonlyMap<string, number>;
  /** By their first bits. */
  readonly buckets: readonly string[][];
  /** The first bucket that has not moved. */
  next: number;
  /** The last row of the log that is theirs. */
  readonly lastLog: number;
}

/** Those of one bucket have the first byte in common. */
function bucketOf(key: string): number {
  return (key.charCodeAt(0) << 3) | (key.charCodeAt(1) >> 5);
}
