import type { StateFile } from '../../../storage/state-file.js';
import { SeenFilter } from './seen-filter.js';
import { seenKeyBytes } from '../seen-key.js';
import { isExpired, seenForTicks } from './seen-tick.js';

/** An entry has a key without its first byte, and the low byte of its tick. */
const keyRestBytes = seenKeyBytes - 1;
const entryBytes = keyRestBytes + 1;
/** How many first bits of a key select its bucket, by level; a bucket has 16 at the next level. */
const bitsOfLevel = [8, 12, 16, 20];
const lastLevel = bitsOfLevel.length - 1;
/** A bucket with this many runs is not full yet. */
const minRuns = 5;

/** Entries that were written to a bucket together. */
interface Run {
  /** Of the newest entry; the low bytes of the others count back from it. */
  tick: number;
  /** One character per byte. */
  readonly entries: string[];
}

/**
 * Keys with their ticks, stored as a log-structured merge tree: `add` writes a run to a bucket of the
 * first level, and the runs of a full bucket are merged into runs of its buckets at the next level. So
 * many keys are written in one row, where a table ordered by key would change a row for nearly each.
 */
export class SeenTable {
  readonly #connection: StateFile;
  readonly #filter = new SeenFilter((firstByte) => this.#entriesWith(firstByte));

  constructor(connection: StateFile) {
    this.#connection = connection;
  }

  /** The tick of a key; undefined when it is unknown or expired. */
  tickOf(key: string, now: number): number | undefined {
    // Nearly all keys are new.
    if (!this.#filter.mayHave(key)) return undefined;
    const buckets = bitsOfLevel.map((bits) => bucketOf(key, bits));
    return this.#connection
      .all(selectEntry, Buffer.from(key.slice(1), 'latin1'), ...buckets)
      .map(({ tick, low }) => fullTick((low as Uint8Array)[0]!, Number(tick)))
      .find((tick) => !isExpired(tick, now));
  }

  /** Within a transaction: adds keys that begin with the same byte. */
  add(keys: readonly string[], tickOf: (key: string) => number, now: number): void {
    if (keys.length === 0) return;
    const run = emptyRun();
    for (const key of keys) {
      addEntry(run, key.slice(1), tickOf(key), now);
      this.#filter.add(key);
    }
    this.#addRun(bucketOf(keys[0]!, bitsOfLevel[0]!), 0, run, now);
  }

  /** Within a transaction: removes a key from all its runs. */
  remove(key: string): void {
    if (!this.#filter.mayHave(key)) return;
    const rest = key.slice(1);
    const buckets = bitsOfLevel.map((bits) => bucketOf(key, bits));
    for (const row of this.#connection.all(
      selectRunsWith,
      Buffer.from(rest, 'latin1'),
      ...buckets,
    )) {
      const entries = entriesOf(row.entries as Uint8Array).filter((one) => !one.startsWith(rest));
      const bytes = Buffer.from(entries.join(''), 'latin1');
      this.#connection.run(updateRun, bytes, row.bucket!, row.run!);
    }
  }

  /**
   * At the end of a transaction: builds missing parts of the filter, a few at a time. If the transaction is
   * rolled back, the filter may have keys that the table lacks, which costs a query for each.
   */
  buildFilter(): void {
    this.#filter.buildRequested();
  }

  /** Replaces the expired runs of a bucket by a new one, and compacts the bucket if it is full. */
  #addRun(bucket: number, level: number, { tick, entries }: Run, now: number): void {
    this.#connection.run(deleteExpired, bucket, now - seenForTicks);
    if (entries.length === 0) return;
    this.#connection.run(insertRun, bucket, tick, Buffer.from(entries.join(''), 'latin1'));
    if (level < lastLevel && this.#isFull(bucket)) this.#compact(bucket, level, now);
  }

  /** Buckets of a level fill at the same rate. Their limits differ, so that not all are full at once. */
  #isFull(bucket: number): boolean {
    const row = this.#connection.get('SELECT count(*) AS n FROM seen_run WHERE bucket = ?', bucket);
    return Number(row!.n) > minRuns + (bucket % 8);
  }

  /** Merges the runs of a bucket, without expired entries, into a run for each of its next buckets. */
  #compact(bucket: number, level: number, now: number): void {
    const merged = Array.from({ length: 16 }, emptyRun);
    for (const { tick, entries } of this.#connection.all(selectRuns, bucket)) {
      for (const entry of entriesOf(entries as Uint8Array)) {
        const its = fullTick(entry.charCodeAt(keyRestBytes), Number(tick));
        addEntry(merged[nextFourBits(entry, level)]!, entry.slice(0, keyRestBytes), its, now);
      }
    }
    this.#connection.run('DELETE FROM seen_run WHERE bucket = ?', bucket);
    merged.forEach((run, i) => this.#addRun(16 * bucket + i, level + 1, run, now));
  }

  /** Of all levels. */
  #entriesWith(firstByte: number): string[] {
    return bitsOfLevel.flatMap((bits) => {
      const buckets = 2 ** (bits - 8);
      const first = (256 + firstByte) * buckets;
      return this.#connection
        .all(selectRunsOfBuckets, first, first + buckets - 1)
        .flatMap(({ entries }) => entriesOf(entries as Uint8Array));
    });
  }
}

const deleteExpired = 'DELETE FROM seen_run WHERE bucket = ? AND tick < ?';
const insertRun = `INSERT INTO seen_run (bucket, run, tick, entries)
  VALUES (?1, (SELECT coalesce(max(run), 0) + 1 FROM seen_run WHERE bucket = ?1), ?2, ?3)`;
const selectRuns = 'SELECT tick, entries FROM seen_run WHERE bucket = ?';
const selectRunsOfBuckets = 'SELECT entries FROM seen_run WHERE bucket BETWEEN ? AND ?';
/** `instr` counts from 1, so it finds an entry, and not parts of two, if it leaves 1. */
const hasEntry = `bucket IN (?2, ?3, ?4, ?5) AND instr(entries, ?1) % ${entryBytes} = 1`;
const selectEntry = `SELECT tick, substr(entries, instr(entries, ?1) + ${keyRestBytes}, 1) AS low
  FROM seen_run WHERE ${hasEntry}`;
const selectRunsWith = `SELECT bucket, run, entries FROM seen_run WHERE ${hasEntry}`;
const updateRun = 'UPDATE seen_run SET entries = ? WHERE bucket = ? AND run = ?';

function emptyRun(): Run {
  return { tick: 0, entries: [] };
}

/** Adds an entry, unless it has expired. */
function addEntry(run: Run, keyRest: string, tick: number, now: number): void {
  if (isExpired(tick, now)) return;
  run.tick = Math.max(run.tick, tick);
  run.entries.push(keyRest + String.fromCharCode(tick & 0xff));
}

function entriesOf({ buffer, byteOffset, length }: Uint8Array): string[] {
  const text = Buffer.from(buffer, byteOffset, length).toString('latin1');
  return Array.from({ length: length / entryBytes }, (_, i) =>
    text.slice(i * entryBytes, (i + 1) * entryBytes),
  );
}

/**
 * The tick of an entry: at most 255 before that of its run. More are only possible after the clock was
 * set back by 19 hours; then an entry may expire two days late.
 */
function fullTick(lowByte: number, tickOfRun: number): number {
  return tickOfRun - ((tickOfRun - lowByte) & 0xff);
}

/**
 * The binary digit 1, and the first bits of the key: buckets of different levels have different numbers,
 * and bucket b has 16 b to 16 b + 15 at the next level.
 */
function bucketOf(key: string, bits: number): number {
  const code = (i: number): number => key.charCodeAt(i);
  const first24 = (code(0) << 16) | (code(1) << 8) | code(2);
  return 2 ** bits + (first24 >> (24 - bits));
}

/** The bits of an entry that select its bucket at the level after this one. */
function nextFourBits(entry: string, level: number): number {
  const byte = entry.charCodeAt(level >> 1);
  return level % 2 === 0 ? byte >> 4 : byte & 0xf;
}
