import type { StateFile } from '../../storage/state-file.js';
import { SeenFilter } from './seen-filter.js';

/** Times of ids are stored in ticks. */
export const tickMs = 10 * 60 * 1000;
/** How long a messageId is remembered: a day, and up to a tick more. */
export const seenForTicks = (24 * 60 * 60 * 1000) / tickMs;

/** An entry has eleven bytes of a key, without its first one, and the low byte of its tick. */
const entryBytes = 12;
/** A row with more is split. */
const maxEntries = 32;

/** Keys of one row, with the same first byte. */
interface SeenRow {
  /** The first four bytes of a key, as a number: keys from here up to `next` are in this row. */
  readonly start: number;
  /** Infinity after the last row. */
  readonly next: number;
  /** Of the newest entry; the low bytes of the others count back from it. */
  readonly tick: number;
  /** One character per byte. */
  readonly entries: string;
}

/**
 * Keys with their ticks, packed: one row per key would take twice the space. Old keys are removed
 * when their row is rewritten, so no separate cleanup is needed.
 */
export class SeenTable {
  readonly #connection: StateFile;
  readonly #filter = new SeenFilter((firstByte) => this.#keysWith(firstByte));

  constructor(connection: StateFile) {
    this.#connection = connection;
  }

  /** The tick of a key, of any age; undefined for an unknown key. */
  tickOf(key: string): number | undefined {
    // Nearly all keys are new.
    if (!this.#filter.mayHave(key)) return undefined;
    const rest = key.slice(1);
    const { entries, tick } = this.#rowOf(key);
    for (let at = entries.indexOf(rest); at !== -1; at = entries.indexOf(rest, at + 1)) {
      if (at % entryBytes === 0) return tickAt(entries, at, tick);
    }
    return undefined;
  }

  /** Within a transaction: adds keys that begin with the same byte, in sorted order. */
  add(keys: readonly string[], tickOf: (key: string) => number): void {
    for (let i = 0; i < keys.length;) {
      const row = this.#rowOf(keys[i]!);
      let { tick } = row;
      let added = '';
      for (; i < keys.length && prefixOf(keys[i]!) < row.next; i++) {
        const key = keys[i]!;
        const its = tickOf(key);
        tick = Math.max(tick, its);
        added += key.slice(1) + String.fromCharCode(its & 0xff);
        this.#filter.add(key);
      }
      this.#write(row.start, tick, young(row, tick) + added);
    }
  }

  /**
   * At the end of a transaction: builds missing parts of the filter, a few at a time. If the transaction is
   * rolled back, the filter may have keys that the table lacks, which costs a query for each.
   */
  buildFilter(): void {
    this.#filter.buildRequested();
  }

  /** Each without its first byte, and followed by its tick. */
  #keysWith(firstByte: number): string[] {
    const first = firstByte * 0x1000000;
    return this.#connection
      .all('SELECT ids FROM seen_page WHERE start BETWEEN ? AND ?', first, first + 0xffffff)
      .flatMap(({ ids }) => entriesOf(textOf(ids as Uint8Array)));
  }

  #write(start: number, tick: number, entries: string): void {
    if (entries.length <= maxEntries * entryBytes) this.#put(start, tick, entries);
    else this.#split(start, tick, entriesOf(entries).sort());
  }

  #split(start: number, tick: number, entries: readonly string[]): void {
    const parts = Math.ceil(entries.length / maxEntries);
    let from = 0;
    for (let part = 1; part <= parts; part++) {
      let to = Math.floor((part * entries.length) / parts);
      // Keys with the same prefix must be in the same row.
      while (to < entries.length && prefixIn(entries[to]!) === prefixIn(entries[to - 1]!)) to++;
      if (to <= from) continue;
      const begin = from === 0 ? start : firstOf(start) + prefixIn(entries[from]!);
      this.#put(begin, tick, entries.slice(from, to).join(''));
      from = to;
    }
  }

  #put(start: number, tick: number, entries: string): void {
    const bytes = Buffer.from(entries, 'latin1');
    this.#connection.run('INSERT OR REPLACE INTO seen_page VALUES (?, ?, ?)', start, tick, bytes);
  }

  #rowOf(key: string): SeenRow {
    const prefix = prefixOf(key);
    const first = firstOf(prefix);
    const row = this.#connection.get(selectRow, first, prefix);
    if (!row) return { start: first, next: this.#nextAfter(prefix), tick: 0, entries: '' };
    return {
      start: Number(row.start),
      next: Number(row.next ?? Infinity),
      tick: Number(row.tick),
      entries: textOf(row.ids as Uint8Array),
    };
  }

  #nextAfter(prefix: number): number {
    const row = this.#connection.get(
      'SELECT min(start) AS next FROM seen_page WHERE start > ?',
      prefix,
    );
    return Number(row?.next ?? Infinity);
  }
}

const selectRow = `SELECT start, tick, ids,
    (SELECT min(start) FROM seen_page AS later WHERE later.start > seen_page.start) AS next
  FROM seen_page WHERE start BETWEEN ? AND ? ORDER BY start DESC LIMIT 1`;

/** The entries that are not too old. */
function young({ entries, tick: before }: SeenRow, now: number): string {
  const isYoung = (at: number): boolean => now - tickAt(entries, at, before) <= seenForTicks;
  let old = 0;
  for (let at = 0; at < entries.length; at += entryBytes) if (!isYoung(at)) old++;
  if (old === 0) return entries;
  return entriesOf(entries)
    .filter((_, index) => isYoung(index * entryBytes))
    .join('');
}

function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1');
}

function entriesOf(entries: string): string[] {
  return Array.from({ length: entries.length / entryBytes }, (_, i) =>
    entries.slice(i * entryBytes, (i + 1) * entryBytes),
  );
}

/** An entry is no older than a day at the time of its row's tick, so the low byte is enough. */
function tickAt(entries: string, at: number, tick: number): number {
  return tick - ((tick - entries.charCodeAt(at + entryBytes - 1)) & 0xff);
}

/** The first prefix with the same first byte. */
function firstOf(prefix: number): number {
  return prefix - (prefix % 0x1000000);
}

function prefixOf(key: string): number {
  return key.charCodeAt(0) * 0x1000000 + prefixIn(key, 1);
}

/** The part of the prefix that is in an entry. */
function prefixIn(text: string, at = 0): number {
  return (text.charCodeAt(at) << 16) | (text.charCodeAt(at + 1) << 8) | text.charCodeAt(at + 2);
}
