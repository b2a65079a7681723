import { LinkedList, type Linked } from '../collections/linked-list.js';
import type { Item } from '../events/event.js';
import { lastLineOf, type LastLine, type LinePosition } from './last-line.js';
import type { LastLines } from './last-lines.js';

/** How far an import has got, as stored. Files are numbered in order, from 0. */
export interface Checkpoint {
  /** The last line read of each file, by the file's index; a file is absent before its first line. */
  readonly last: LastLines;
  /** Lines up to there that had no outcome yet, as ranges of adjacent lines. */
  readonly open: readonly PendingRange[];
}

/** The same as plain objects, which can be copied to another thread. */
export function plainCheckpoint({ last, open }: Checkpoint): Checkpoint {
  return { last: new Map(last), open };
}

/**
 * `count` adjacent lines from `line` on, which begins at `offset`. The first `done` of them (default 0)
 * are not open, but only locate where to begin reading. `isUnread`: no run has read them yet, so they do
 * not count as read, and blank lines may be among them.
 */
export type PendingRange = readonly [
  file: number,
  line: number,
  offset: number,
  count: number,
  done?: number,
  isUnread?: boolean,
];

/** A line that was read and has no outcome yet. */
export interface PendingLine extends Linked<PendingLine> {
  /** Index of its file in the import. */
  readonly file: number;
  readonly position: LinePosition;
  /** How many events of this line have not ended. */
  parts: number;
  /**
   * Only if it became several events: applies their outcomes, which is done when all have ended, so
   * that none is counted twice after a crash.
   */
  effects: (() => void)[] | undefined;
}

/** Notes that the line has become `parts` events, all of which must end before it does. */
export function split(line: PendingLine, parts: number): void {
  line.parts = parts;
  line.effects = [];
}

/** Keeps which lines were read, and which of them are open. */
export class Progress {
  readonly #fileIndex: ReadonlyMap<string, number>;
  readonly #open = new LinkedList<PendingLine>();
  /** The number of the last line of each file, 0 before the first. */
  readonly #lastLines: number[];
  /** The last lines that are not committed yet, except `#newest`. */
  #changed = new Map<number, LastLine>();
  #newestFile = 0;
  #newest: Item | undefined;
  /** What earlier runs left open and this one has not read yet, by file. */
  readonly #left = new Map<number, readonly PendingRange[]>();

  constructor(files: readonly string[], before: Checkpoint) {
    this.#fileIndex = new Map(files.map((name, index) => [name, index]));
    this.#lastLines = files.map((_name, index) => before.last.get(index)?.line ?? 0);
    for (const range of before.open) {
      const [file] = range;
      this.#left.set(file, [...(this.#left.get(file) ?? []), range]);
    }
  }

  /** The index of a file in the import; 0 if it is not one of its files. */
  indexOf(file: string): number {
    return this.#fileIndex.get(file) ?? 0;
  }

  get openLines(): number {
    return this.#open.size;
  }

  /** How many lines earlier runs left open and this one has not read yet. */
  get leftLines(): number {
    return countRead(this.#leftRanges());
  }

  /** Notes that the next line was read, or again one that an earlier run left open. */
  open(item: Item): PendingLine {
    const { origin } = item;
    const file = this.indexOf(origin.file);
    const open: PendingLine = {
      file,
      position: origin,
      parts: 1,
      effects: undefined,
      previous: undefined,
      next: undefined,
    };
    // `<=`: a last line that has grown is read again.
    if (this.#lastLines[file]! <= origin.line) this.#note(file, item);
    this.#pass(file, origin);
    this.#open.add(open);
    return open;
  }

  close(line: PendingLine): void {
    this.#open.delete(line);
  }

  /** The last lines that have changed since `committed`, and all open lines. */
  changes(): Checkpoint {
    this.#keepNewest();
    return { last: this.#changed, open: [...this.#openRanges(), ...this.#leftRanges()] };
  }

  committed(): void {
    this.#changed = new Map();
  }

  #note(file: number, item: Item): void {
    if (file !== this.#newestFile) this.#keepNewest();
    this.#lastLines[file] = item.origin.line;
    this.#newestFile = file;
    this.#newest = item;
  }

  /** Hashes only the last of many lines, then drops its text, which keeps a whole chunk in memory. */
  #keepNewest(): void {
    if (this.#newest) this.#changed.set(this.#newestFile, lastLineOf(this.#newest));
    this.#newest = undefined;
  }

  #pass(file: number, position: LinePosition): void {
    if (this.#left.size === 0) return;
    const left = this.#left.get(file)?.flatMap((range) => partAfter(range, position));
    if (left?.length === 0) this.#left.delete(file);
    else if (left) this.#left.set(file, left);
  }

  #leftRanges(): PendingRange[] {
    return [...this.#left.values()].flat();
  }

  /** Lines are read in order, so adjacent lines follow each other in `#open`. */
  #openRanges(): PendingRange[] {
    const ranges: [file: number, line: number, offset: number, count: number][] = [];
    for (let pending = this.#open.first; pending; pending = pending.next) {
      const { line, offset } = pending.position;
      const range = ranges.at(-1);
      if (range?.[0] === pending.file && range[1] + range[3] === line) range[3]++;
      else ranges.push([pending.file, line, offset, 1]);
    }
    return ranges;
  }
}

/** How many open lines of these ranges count as read. */
export function countRead(ranges: readonly PendingRange[]): number {
  return ranges.reduce(
    (sum, [, , , count, done = 0, isUnread]) => (isUnread ? sum : sum + count - done),
    0,
  );
}

/** The part of a range up to and including a line. */
export function partUpTo(run: PendingRange, line: number): PendingRange[] {
  const [file, first, offset, count, done = 0, ...kind] = run;
  const left = Math.min(count, line - first + 1);
  return left > done ? [[file, first, offset, left, done, ...kind]] : [];
}

/** The part of a range after a line. The offset of the next line is not known, so it begins at this one. */
export function partAfter(
  run: PendingRange,
  { line, offset }: Omit<LinePosition, 'length'>,
): PendingRange[] {
  const [file, first, , count, done = 0, ...kind] = run;
  if (line < first) return [run];
  const rest = first + count - 1 - line;
  if (rest <= 0) return [];
  return [[file, line, offset, rest + 1, Math.max(1, first + done - line), ...kind]];
}
