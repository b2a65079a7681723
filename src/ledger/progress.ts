import { LinkedList, type Linked } from '../collections/linked-list.js';
import type { Event, Problem } from '../events/event.js';
import { lastLineOf, type LastLine, type LinePosition } from './last-line.js';

/** Where an import has come to, as it is stored. Files and lines are numbered in their order. */
export interface Checkpoint {
  /** The last line that was taken of each file, by its index; a file is absent before its first. */
  readonly last: ReadonlyMap<number, LastLine>;
  /** Lines up to there whose fate was open, as runs of neighbours. */
  readonly open: readonly PendingRange[];
}

/**
 * `count` lines that follow one another, from `line` on, which begins at `offset`. The first `done` of
 * them (none, where it is absent) are not open: they only say where to begin reading. `isUnread`: no
 * run has taken them, so they are to be read but do not count as read; blank ones are among them.
 */
export type PendingRange = readonly [
  file: number,
  line: number,
  offset: number,
  count: number,
  done?: number,
  isUnread?: boolean,
];

/** A line that was taken and whose fate is open. */
export interface PendingLine extends Linked<PendingLine> {
  /** Index of its file in the import. */
  readonly file: number;
  readonly position: LinePosition;
  /** Events of this line that have not ended. */
  parts: number;
  /**
   * Only where it became several events: what they came to so far; counted when all have ended, so
   * that a crash counts none twice.
   */
  effects: (() => void)[] | undefined;
}

/** The line has become so many events: all of them must end before it does. */
export function split(line: PendingLine, parts: number): void {
  line.parts = parts;
  line.effects = [];
}

/** Keeps which lines were taken, and which of them are open. */
export class Progress {
  readonly #fileIndex: ReadonlyMap<string, number>;
  readonly #open = new LinkedList<PendingLine>();
  /** The number of the last line of each file, 0 before the first. */
  readonly #lastLines: number[];
  /** The last lines that are not committed yet, but for the one that was taken last. */
  #changed = new Map<number, LastLine>();
  #newestFile = 0;
  #newest: Event | Problem | undefined;
  /** What earlier runs left open and this one has not come to yet, by file. */
  readonly #left = new Map<number, readonly PendingRange[]>();

  constructor(files: readonly string[], before: Checkpoint) {
    this.#fileIndex = new Map(files.map((name, index) => [name, index]));
    this.#lastLines = files.map((_name, index) => before.last.get(index)?.line ?? 0);
    for (const run of before.open) {
      const [file] = run;
      this.#left.set(file, [...(this.#left.get(file) ?? []), run]);
    }
  }

  get openLines(): number {
    return this.#open.size;
  }

  /** Lines that earlier runs left open and this one has not taken yet. */
  get leftLines(): number {
    return countRead(this.#leftRuns());
  }

  /** Takes the next line, or once more one that an earlier run left open. */
  open(item: Event | Problem): PendingLine {
    const { origin } = item;
    const file = this.#fileIndex.get(origin.file) ?? 0;
    const open: PendingLine = {
      file,
      position: origin,
      parts: 1,
      effects: undefined,
      previous: undefined,
      next: undefined,
    };
    // `<=`: a last line that has grown is taken again from where it began.
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
    return { last: this.#changed, open: [...this.#runs(), ...this.#leftRuns()] };
  }

  committed(): void {
    this.#changed = new Map();
  }

  #note(file: number, item: Event | Problem): void {
    if (file !== this.#newestFile) this.#keepNewest();
    this.#lastLines[file] = item.origin.line;
    this.#newestFile = file;
    this.#newest = item;
  }

  /** Only the last line of many is worth a hash. Then its text is let go, for it holds a whole chunk. */
  #keepNewest(): void {
    if (this.#newest) this.#changed.set(this.#newestFile, lastLineOf(this.#newest));
    this.#newest = undefined;
  }

  #pass(file: number, place: LinePosition): void {
    if (this.#left.size === 0) return;
    const left = this.#left.get(file)?.flatMap((run) => partAfter(run, place));
    if (left?.length === 0) this.#left.delete(file);
    else if (left) this.#left.set(file, left);
  }

  #leftRuns(): PendingRange[] {
    return [...this.#left.values()].flat();
  }

  /** Lines are taken in order, so neighbours stand side by side here. */
  #runs(): PendingRange[] {
    const runs: [number, number, number, number][] = [];
    for (let line = this.#open.first; line; line = line.next) {
      const { file, position: place } = line;
      const run = runs.at(-1);
      if (run?.[0] === file && run[1] + run[3] === place.line) run[3]++;
      else runs.push([file, place.line, place.offset, 1]);
    }
    return runs;
  }
}

/** How many lines of these runs were taken. */
export function countRead(runs: readonly PendingRange[]): number {
  return runs.reduce(
    (sum, [, , , count, done = 0, isUnread]) => (isUnread ? sum : sum + count - done),
    0,
  );
}

/** What of a run lies at a line or before it. */
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
