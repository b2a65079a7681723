import type { Origin } from '../../events/event.js';
import { withoutEnds } from '../../input/open-line.js';
import { parseLine } from '../../events/parse.js';
import type { Range } from '../../input/range.js';
import { lastLineOf, type LastLine, type LinePosition } from '../../ledger/last-line.js';
import {
  behind,
  claimedLines,
  upTo,
  type PendingRange,
  type Checkpoint,
} from '../../ledger/progress.js';

/** A range that a thread works on, or has before it. */
interface OpenRange {
  readonly file: number;
  readonly start: { readonly line: number; readonly offset: number };
  readonly lastLine: number;
  /** Lines behind this one are new: no earlier run has taken them. */
  readonly newBehind: number;
  /** What earlier runs left open in it and this one has not taken yet. */
  left: readonly PendingRange[];
}

/** What one thread has come to. */
interface Desk {
  readonly ranges: OpenRange[];
  /** Ranges that it has ended. */
  done: number;
  /** Lines that it has taken and whose fate is open. */
  open: readonly PendingRange[];
  taken: TakenLine | undefined;
}

/** A line of a file, by its index in the import. */
export interface TakenLine {
  readonly file: number;
  readonly line: number;
  readonly offset: number;
}

/** Where a thread stands. */
export interface ThreadCheckpoint {
  /** The last line that it has taken; ranges come to it in the order of the files. */
  readonly taken: TakenLine | undefined;
  /** Lines up to there whose fate is open. */
  readonly open: readonly PendingRange[];
}

/**
 * Keeps where an import stands while several threads work on it: what they have taken, what lies
 * before them, and what nobody has been given yet.
 */
export class RangeTracker {
  readonly #before: Checkpoint;
  readonly #last: Map<number, LastLine>;
  /** Of these the ones that are not committed yet. */
  #changed = new Map<number, LastLine>();
  readonly #progresses: readonly Desk[];
  /** What earlier runs left open behind the ranges given out so far. */
  #left: readonly PendingRange[];

  constructor(before: Checkpoint, threads: number) {
    this.#before = before;
    this.#last = new Map(before.last);
    this.#left = before.open;
    this.#progresses = Array.from({ length: threads }, () => ({
      ranges: [],
      done: 0,
      open: [],
      taken: undefined,
    }));
  }

  /** A thread is given a range; in the order of the files. */
  give(range: Range, thread: number): void {
    const { file, start, last } = range;
    const lastLine = start.line + range.lines - 1;
    const inside = ([index]: PendingRange): boolean => index === file;
    this.#progresses[thread]!.ranges.push({
      file,
      start,
      lastLine,
      newBehind: this.#newBehind(range),
      left: this.#left.filter(inside).flatMap((run) => upTo(run, lastLine)),
    });
    if (!last) return;
    this.#left = this.#left.flatMap((run) => (inside(run) ? behind(run, last) : [run]));
    if ((this.#last.get(file)?.line ?? 0) > last.line) return;
    const line = lastLineIn(range, last);
    this.#last.set(file, line);
    this.#changed.set(file, line);
  }

  /** A thread tells how many ranges it has ended, and which of its lines are open. */
  note(thread: number, doneRanges: number, place: ThreadCheckpoint): void {
    const workerProgress = this.#progresses[thread]!;
    workerProgress.ranges.splice(0, doneRanges - workerProgress.done);
    workerProgress.done = doneRanges;
    workerProgress.open = place.open;
    workerProgress.taken = place.taken;
  }

  /** The last lines that have changed since `committed`, and all open lines. */
  changes(): Checkpoint {
    const open = this.#progresses.flatMap((workerProgress) => [
      ...workerProgress.open,
      ...unclaimed(workerProgress),
    ]);
    return { last: this.#changed, open: [...open, ...this.#left] };
  }

  committed(): void {
    this.#changed = new Map();
  }

  /** Lines that were taken and whose fate is open, by this run or, not taken up again, by earlier ones. */
  get openLines(): number {
    const left = this.#progresses.flatMap((workerProgress) =>
      workerProgress.ranges.flatMap((range) => leftOf(workerProgress, range)),
    );
    return claimedLines([...this.#progresses.flatMap(({ open }) => open), ...left, ...this.#left]);
  }

  /** The last line of the earlier runs, unless it has grown since and is read once more. */
  #newBehind(range: Range): number {
    const before = this.#before.last.get(range.file);
    if (!before) return 0;
    const { start, last } = range;
    const isHere = last !== undefined && start.line <= before.line && before.line <= last.line;
    return isHere && lengthNow(range, before) !== before.length ? before.line - 1 : before.line;
  }
}

/** What a thread was given and has not come to. */
function unclaimed(workerProgress: Desk): PendingRange[] {
  return workerProgress.ranges.flatMap((range) => [
    ...leftOf(workerProgress, range),
    ...newOf(workerProgress, range),
  ]);
}

function leftOf(workerProgress: Desk, range: OpenRange): PendingRange[] {
  const taken = takenOf(workerProgress, range);
  return range.left.flatMap((run) => (taken ? behind(run, taken) : [run]));
}

/** Lines that no run has taken before. Reading can begin at the last one that was taken, or at the start. */
function newOf(workerProgress: Desk, range: OpenRange): PendingRange[] {
  const { file, start, lastLine, newBehind } = range;
  const taken = takenOf(workerProgress, range);
  const from = taken ?? start;
  const first = Math.max(taken ? taken.line + 1 : start.line, newBehind + 1);
  if (first > lastLine) return [];
  return [[file, from.line, from.offset, lastLine - from.line + 1, first - from.line, true]];
}

/** The last line that a thread has taken of a range. */
function takenOf({ taken }: Desk, { file, start, lastLine }: OpenRange): TakenLine | undefined {
  const isHere = taken?.file === file && taken.line >= start.line && taken.line <= lastLine;
  return isHere ? taken : undefined;
}

const lineFeed = 0x0a;

/** The last line of a range, with its hash. */
function lastLineIn(range: Range, place: LinePosition): LastLine {
  if (range.cutFrom !== undefined) return { ...place };
  const origin: Origin = { file: '', ...place };
  return lastLineOf(parseLine(bytesOf(range, place), origin));
}

/** Length of a line of the range, as in `Origin`. */
function lengthNow(range: Range, place: LinePosition): number {
  return range.cutFrom ?? bytesOf(range, place).length;
}

function bytesOf({ bytes, start }: Range, { offset }: LinePosition): Buffer {
  const at = offset - start.offset;
  const end = bytes.indexOf(lineFeed, at);
  return withoutEnds(bytes.subarray(at, end === -1 ? bytes.length : end), offset === 0);
}
