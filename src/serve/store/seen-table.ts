import type { StateFile } from '../../storage/state-file.js';
import { SeenFilter } from './seen-filter.js';
import { isRecent, seenForTicks } from './seen-tick.js';

/** An entry has eleven bytes of a key, without its first one, and the low byte of its tick. */
const entryBytes = 12;
/** How many first bits of a key select its bucket at each level; a bucket has 16 at the next one. */
const bitsOfLevel = [8, 12, 16, 20];
const lastLevel = bitsOfLevel.length - 1;

/** Entries of one bucket. */
interface SeenRow {
  /** Of the newest entry; the low bytes of the others count back from it. */
  tick: number;
  /** One character per byte. */
  readonly entries: string[];
}

/**
 * Keys with their ticks, stored like a log-structured merge tree: `add` writes a row to a bucket of the
 * first level, and the rows of a full bucket are divided among its buckets of the next level. So a row
 * with many keys is written once, where a table ordered by key would change a row for nearly each key.
 */
export class SeenTable {
  readonly #connection: StateFile;
  readonly #filter = new SeenFilter((firstByte) => this.#entriesWith(firstByte));

  constructor(connection: StateFile) {
    this.#connection = connection;
  }

  /** The tick of a key; undefined when it is unknown or not recent. */
  tickOf(key: string, now: number): number | undefined {
    // Nearly all keys are new.
    if (!this.#filter.mayHave(key)) return undefined;
    const buckets = bitsOfLevel.map((bits) => bucketOf(key, bits));
    return this.#connection
      .all(selectEntry, Buffer.from(key.slice(1), 'latin1'), ...buckets)
      .map(({ tick, low }) => tickAt(Number(tick), (low as Uint8Array)[0]!))
      .find((tick) => isRecent(tick, now));
  }

  /** Within a transaction: adds keys that begin with the same byte. */
  add(keys: readonly string[], tickOf: (key: string) => number, now: number): void {
    if (keys.length === 0) return;
    const row = emptyRow();
    for (const key of keys) {
      addEntry(row, key.slice(1), tickOf(key), now);
      this.#filter.add(key);
    }
    this.#put(bucketOf(keys[0]!, bitsOfLevel[0]!), 0, row, now);
  }

  /**
   * At the end of a transaction: builds missing parts of the filter, a few at a time. If the transaction is
   * rolled back, the filter may have keys that the table lacks, which costs a query for each.
   */
  buildFilter(): void {
    this.#filter.buildRequested();
  }

  /** Adds a row to a bucket, and removes its old rows. */
  #put(bucket: number, level: number, { tick, entries }: SeenRow, now: number): void {
    this.#connection.run(deleteOld, bucket, now - seenForTicks);
    if (entries.length === 0) return;
    this.#connection.run(insertRow, bucket, tick, Buffer.from(entries.join(''), 'latin1'));
    if (level < lastLevel && this.#isFull(bucket)) this.#divide(bucket, level, now);
  }

  /** Not all at the same number of rows: those of a level get them in turn, so all would be full at once. */
  #isFull(bucket: number): boolean {
    const row = this.#connection.get('SELECT count(*) AS n FROM seen_run WHERE bucket = ?', bucket);
    return Number(row!.n) >= 6 + (bucket % 8);
  }

  /** Moves the rows of a bucket to the next level. */
  #divide(bucket: number, level: number, now: number): void {
    const parts = Array.from({ length: 16 }, emptyRow);
    const rows = this.#connection.all('SELECT tick, ids FROM seen_run WHERE bucket = ?', bucket);
    const partOf = (entry: string): SeenRow => parts[fourBitsOf(entry, level)]!;
    for (const { tick: newest, ids } of rows) {
      for (const entry of entriesOf(ids as Uint8Array)) {
        const tick = tickAt(Number(newest), entry.charCodeAt(entryBytes - 1));
        addEntry(partOf(entry), entry.slice(0, -1), tick, now);
      }
    }
    this.#connection.run('DELETE FROM seen_run WHERE bucket = ?', bucket);
    parts.forEach((part, i) => this.#put(16 * bucket + i, level + 1, part, now));
  }

  /** Of all levels. */
  #entriesWith(firstByte: number): string[] {
    return bitsOfLevel.flatMap((bits) => {
      const buckets = 2 ** (bits - 8);
      const first = (256 + firstByte) * buckets;
      return this.#connection
        .all('SELECT ids FROM seen_run WHERE bucket BETWEEN ? AND ?', first, first + buckets - 1)
        .flatMap(({ ids }) => entriesOf(ids as Uint8Array));
    });
  }
}

const deleteOld = 'DELETE FROM seen_run WHERE bucket = ? AND tick < ?';
const insertRow = `INSERT INTO seen_run (bucket, run, tick, ids)
  VALUES (?1, (SELECT coalesce(max(run), 0) + 1 FROM seen_run WHERE bucket = ?1), ?2, ?3)`;
/** `instr` counts from 1; an entry begins at a multiple of 12 bytes. */
const selectEntry = `SELECT tick, substr(ids, instr(ids, ?1) + 11, 1) AS low FROM seen_run
  WHERE bucket IN (?2, ?3, ?4, ?5) AND instr(ids, ?1) % 12 = 1`;

function emptyRow(): SeenRow {
  return { tick: 0, entries: [] };
}

/** Adds an entry, unless it is too old to be asked for. */
function addEntry(row: SeenRow, rest: string, tick: number, now: number): void {
  if (!isRecent(tick, now)) return;
  row.tick = Math.max(row.tick, tick);
  row.entries.push(rest + String.fromCharCode(tick & 0xff));
}

function entriesOf({ buffer, byteOffset, length }: Uint8Array): string[] {
  const text = Buffer.from(buffer, byteOffset, length).toString('latin1');
  return Array.from({ length: length / entryBytes }, (_, i) =>
    text.slice(i * entryBytes, (i + 1) * entryBytes),
  );
}

/** An entry is no older than a day at the time of its row's tick, so the low byte is enough. */
function tickAt(newest: number, low: number): number {
  return newest - ((newest - low) & 0xff);
}

/** The first bits of a key, after a bit that is set: buckets of different levels have different numbers. */
function bucketOf(key: string, bits: number): number {
  const code = (i: number): number => key.charCodeAt(i);
  const first24 = (code(0) << 16) | (code(1) << 8) | code(2);
  return 2 ** bits + (first24 >> (24 - bits));
}

/** The bits of an entry that select its bucket at the level after this one. */
function fourBitsOf(entry: string, level: number): number {
  const byte = entry.charCodeAt(level >> 1);
  return level % 2 === 0 ? byte >> 4 : byte & 0xf;
}
