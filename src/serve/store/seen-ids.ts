import type { Clock } from '../../clock.js';
import type { Connection } from './connection.js';
import { seenKeyBytes } from './seen-key.js';

/** How long a messageId is known again. */
export const seenForMs = 24 * 60 * 60 * 1000;

export interface SeenOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  /** So many of the newest are kept in memory. Default 32,768. */
  readonly youngKeys?: number;
}

/** Forgotten ids are looked for in steps of so many rows, one step after so many new ids. */
const sweepRows = 512;
const idsPerSweep = 64;
/** A sweep through all of them begins no sooner than this after the last one began. */
const sweepEveryMs = 60 * 60 * 1000;

/**
 * The messageIds of the last day. A table in the order of their hashes alone would have each new one
 * change a page of its own, anywhere in it. So the newest stand in memory, and in a log on disk; when
 * there are enough they go to the table sorted, a few with each commit, and the log is cut.
 */
export class SeenIds {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #youngKeys: number;
  /** Key to seconds since 1970, and so in the others. */
  #young = new Map<string, number>();
  #ripening: Ripening | undefined;
  /** Of the transaction under way. */
  #group = new Map<string, number>();
  #moved = 0;
  #sweep: { after: Buffer; readonly beganAt: number; isDone: boolean };
  #unswept = 0;

  /** In the file whose schema is there. */
  constructor({ connection, clock, youngKeys = 32_768 }: SeenOptions) {
    this.#connection = connection;
    this.#clock = clock;
    this.#youngKeys = youngKeys;
    this.#sweep = { after: Buffer.alloc(0), beganAt: clock.now(), isDone: false };
    for (const { at, keys } of connection.all('SELECT at, keys FROM seen_log ORDER BY id')) {
      const text = Buffer.from(keys as Uint8Array).toString('latin1');
      for (let i = 0; i < text.length; i += seenKeyBytes) {
        this.#young.set(text.slice(i, i + seenKeyBytes), Number(at));
      }
    }
  }

  /** Within a transaction: notes a key, and returns whether it was not seen within the last day. */
  note(key: string): boolean {
    const now = this.#now();
    const at = this.#seenAt(key);
    if (at !== undefined && at > now - seenForMs / 1000) return false;
    this.#group.set(key, now);
    return true;
  }

  /** At the end of a transaction. */
  write(): void {
    if (this.#group.size === 0) return;
    const keys = Buffer.from([...this.#group.keys()].join(''), 'latin1');
    this.#connection.run('INSERT INTO seen_log (at, keys) VALUES (?, ?)', this.#now(), keys);
    this.#moveRipe(4 * this.#group.size);
    this.#unswept += this.#group.size;
    if (this.#unswept >= idsPerSweep) this.#sweepOn();
  }

  committed(): void {
    for (const [key, at] of this.#group) this.#young.set(key, at);
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

  #now(): number {
    return Math.floor(this.#clock.now() / 1000);
  }

  #seenAt(key: string): number | undefined {
    const inMemory = this.#group.get(key) ?? this.#young.get(key) ?? this.#ripening?.times.get(key);
    if (inMemory !== undefined) return inMemory;
    const row = this.#connection.get('SELECT at FROM seen WHERE key = ?', bytesOf(key));
    return row && Number(row.at);
  }

  #ripen(): void {
    const last = this.#connection.get('SELECT max(id) AS id FROM seen_log');
    const buckets: string[][] = Array.from({ length: 256 }, () => []);
    for (const key of this.#young.keys()) buckets[key.charCodeAt(0)]!.push(key);
    this.#ripening = { times: this.#young, buckets, next: 0, lastLog: Number(last?.id) };
    this.#young = new Map();
  }

  #moveRipe(atLeast: number): void {
    const ripening = this.#ripening;
    if (!ripening) return;
    const { buckets, next, times, lastLog } = ripening;
    for (let keys = 0; keys < atLeast && next + this.#moved < buckets.length; this.#moved++) {
      const bucket = buckets[next + this.#moved]!.sort();
      for (const key of bucket) {
        const at = times.get(key)!;
        this.#connection.run('INSERT OR REPLACE INTO seen VALUES (?, ?)', bytesOf(key), at);
      }
      keys += bucket.length;
    }
    const isDone = next + this.#moved === buckets.length;
    if (isDone) this.#connection.run('DELETE FROM seen_log WHERE id <= ?', lastLog);
  }

  /** What was rolled back is swept again, one round later. */
  #sweepOn(): void {
    this.#unswept = 0;
    const now = this.#clock.now();
    if (this.#sweep.isDone) {
      if (now < this.#sweep.beganAt + sweepEveryMs) return;
      this.#sweep = { after: Buffer.alloc(0), beganAt: now, isDone: false };
    }
    const { after } = this.#sweep;
    const behind = 'SELECT key FROM seen WHERE key > ? ORDER BY key LIMIT 1 OFFSET ?';
    const end = this.#connection.get(behind, after, sweepRows)?.key as Uint8Array | undefined;
    const isOld = Math.floor((now - seenForMs) / 1000);
    const range = 'DELETE FROM seen WHERE key > ? AND key <= ? AND at <= ?';
    this.#connection.run(range, after, end ?? lastKey, isOld);
    if (end) this.#sweep.after = Buffer.from(end);
    else this.#sweep.isDone = true;
  }
}

/** Keys on their way from memory to the table. */
interface Ripening {
  readonly times: ReadonlyMap<string, number>;
  /** By their first byte. */
  readonly buckets: readonly string[][];
  /** The first bucket that has not moved. */
  next: number;
  /** The last row of the log that is theirs. */
  readonly lastLog: number;
}

/** Behind all keys, for it is longer. */
const lastKey = Buffer.alloc(seenKeyBytes + 1, 0xff);

function bytesOf(key: string): Buffer {
  return Buffer.from(key, 'latin1');
}
