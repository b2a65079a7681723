import { withoutEnds } from '../events/open-line.js';
import type { Range } from '../events/range.js';
import {
  behind,
  takenLines,
  upTo,
  type LinePlace,
  type OpenRun,
  type Place,
} from '../ledger/progress.js';

/** A range that a thread works on, or has before it. */
interface OpenRange {
  readonly file: number;
  readonly start: { readonly line: number; readonly offset: number };
  readonly lastLine: number;
  /** Lines behind this one are new: no earlier run has taken them. */
  readonly newBehind: number;
  /** What earlier runs left open in it and this one has not taken yet. */
  left: readonly OpenRun[];
}

/** What one thread has come to. */
interface Desk {
  readonly ranges: OpenRange[];
  /** Ranges that it has ended. */
  done: number;
  /** Lines that it has taken and whose fate is open. */
  open: readonly OpenRun[];
  /** The last line that it has taken of each file. */
  last: readonly (LinePlace | null)[];
}

/**
 * Keeps where an import stands while several threads work on it: what they have taken, what lies
 * before them, and what nobody has been given yet.
 */
export class RangeBook {
  readonly #before: Place;
  readonly #last: (LinePlace | null)[];
  readonly #desks: readonly Desk[];
  /** What earlier runs left open behind the ranges given out so far. */
  #left: readonly OpenRun[];

  constructor(files: number, before: Place, threads: number) {
    this.#before = before;
    this.#last = Array.from({ length: files }, (_, file) => before.last[file] ?? null);
    this.#left = before.open;
    this.#desks = Array.from({ length: threads }, () => ({
      ranges: [],
      done: 0,
      open: [],
      last: [],
    }));
  }

  /** A thread is given a range; in the order of the files. */
  give(range: Range, thread: number): void {
    const { file, start, last } = range;
    const lastLine = start.line + range.lines - 1;
    const inside = ([index]: OpenRun): boolean => index === file;
    this.#desks[thread]!.ranges.push({
      file,
      start,
      lastLine,
      newBehind: this.#newBehind(range),
      left: this.#left.filter(inside).flatMap((run) => upTo(run, lastLine)),
    });
    if (!last) return;
    this.#left = this.#left.flatMap((run) => (inside(run) ? behind(run, last) : [run]));
    this.#last[file] = later(this.#last[file], last);
  }

  /** A thread tells how many ranges it has ended, and which of its lines are open. */
  note(thread: number, doneRanges: number, place: Place): void {
    const desk = this.#desks[thread]!;
    desk.ranges.splice(0, doneRanges - desk.done);
    desk.done = doneRanges;
    desk.open = place.open;
    desk.last = place.last;
  }

  place(): Place {
    const open = this.#desks.flatMap((desk) => [...desk.open, ...untaken(desk)]);
    return { last: this.#last, open: [...open, ...this.#left] };
  }

  /** Lines that were taken and whose fate is open, by this run or, not taken up again, by earlier ones. */
  get openLines(): number {
    const left = this.#desks.flatMap((desk) => desk.ranges.flatMap((range) => leftOf(desk, range)));
    return takenLines([...this.#desks.flatMap(({ open }) => open), ...left, ...this.#left]);
  }

  /** The last line of the earlier runs, unless it has grown since and is read once more. */
  #newBehind(range: Range): number {
    const before = this.#before.last[range.file];
    if (!before) return 0;
    const { start, last } = range;
    const isHere = last !== undefined && start.line <= before.line && before.line <= last.line;
    return isHere && lengthNow(range, before) !== before.length ? before.line - 1 : before.line;
  }
}

/** What a thread was given and has not come to. */
function untaken(desk: Desk): OpenRun[] {
  return desk.ranges.flatMap((range) => [...leftOf(desk, range), ...newOf(desk, range)]);
}

function leftOf(desk: Desk, range: OpenRange): OpenRun[] {
  const taken = takenOf(desk, range);
  return range.left.flatMap((run) => (taken ? behind(run, taken) : [run]));
}

/** Lines that no run has taken before. Reading can begin at the last one that was taken, or at the start. */
function newOf(desk: Desk, range: OpenRange): OpenRun[] {
  const { file, start, lastLine, newBehind } = range;
  const taken = takenOf(desk, range);
  const from = taken ?? start;
  const first = Math.max(taken ? taken.line + 1 : start.line, newBehind + 1);
  if (first > lastLine) return [];
  return [[file, from.line, from.offset, lastLine - from.line + 1, first - from.line, true]];
}

/** The last line that a thread has taken of a range. */
function takenOf(desk: Desk, { file, start, lastLine }: OpenRange): LinePlace | undefined {
  const last = desk.last[file];
  return last && last.line >= start.line && last.line <= lastLine ? last : undefined;
}

function later(a: LinePlace | null | undefined, b: LinePlace): LinePlace {
  return a && a.line > b.line ? a : b;
}

const lineFeed = 0x0a;

/** Length of a line of the range, as in `Origin`. */
function lengthNow({ bytes, start, cutFrom }: Range, { offset }: LinePlace): number {
  if (cutFrom !== undefined) return cutFrom;
  const at = offset - start.offset;
  const end = bytes.indexOf(lineFeed, at);
  return withoutEnds(bytes.subarray(at, end === -1 ? bytes.length : end), offset === 0).length;
}
