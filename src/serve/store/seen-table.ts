import type { StateFile } from '../../storage/state-file.js';

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
  /** Without rows, look-ups are skipped: the first 65,536 ids are in memory (seen-ids.ts). */
  #isEmpty: boolean;

  constructor(connection: StateFile) {
    this.#connection = connection;
    this.#isEmpty = connection.get('SELECT 1 FROM seen_page LIMIT 1') === undefined;
  }

  /** The tick of a key, of any age; undefined for an unknown key. */
  tickOf(key: string): number | undefined {
    if (this.#isEmpty) return undefined;
    const prefix = prefixOf(key);
    const rest = key.slice(1);
    const bytes = Buffer.from(rest, 'latin1');
    // Nearly all keys are new, so a cheap test precedes reading the row.
    if (!this.#connection.get(selectFound, bytes, firstOf(prefix), prefix)?.found) return undefined;
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
      }
      this.#write(row.start, tick, young(row, tick) + added);
    }
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
    this.#isEmpty = false;
    const bytes = Buffer.from(entries, 'latin1');
    this.#connection.run('INSERT OR REPLACE INTO seen_page VALUES (?, ?, ?)', start, tick, bytes);
  }

  #rowOf(key: string): SeenRow {
    const prefix = prefixOf(key);
    const first = firstOf(prefix);
    const row = this.#connection.get(selectRow, first, prefix);
    if (!row) return { start: first, next: this.#nextAfter(prefix), tick: 0, entries: '' };
    const bytes = row.ids as Uint8Array;
    return {
      start: Number(row.start),
      next: Number(row.next ?? Infinity),
      tick: Number(row.tick),
      entries: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'),
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

const selectFound =
  'SELECT instr(ids, ?) AS found FROM seen_page WHERE start BETWEEN ? AND ? ORDER BY start DESC LIMIT 1';

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
