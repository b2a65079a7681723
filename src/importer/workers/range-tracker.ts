import type { Origin } from '../../events/event.js';
import { withoutEnds } from '../../sources/open-line.js';
import { parseLine } from '../../events/parse.js';
import type { Range } from '../../sources/range.js';
import { lastLineOf, type LastLine, type LinePosition } from '../../ledger/last-line.js';
import {
  partAfter,
  countRead,
  partUpTo,
  type PendingRange,
  type Checkpoint,
} from '../../ledger/progress.js';

/** A range that a thread works on, or will work on next. */
interface OpenRange {
  readonly file: number;
  readonly start: { readonly line: number; readonly offset: number };
  readonly lastLine: number;
  /** Lines after this one are new: no earlier run has read them. */
  readonly newAfter: number;
  /** What earlier runs left open in it and this one has not read yet. */
  left: readonly PendingRange[];
}

/** How far one thread has got. */
interface WorkerProgress {
  readonly ranges: OpenRange[];
  /** Ranges that it has ended. */
  done: number;
  /** Lines that it has read and that have no outcome yet. */
  open: readonly PendingRange[];
  lastRead: ReadLine | undefined;
}

/** A line of a file, by its index in the import. */
export interface ReadLine extends LastLine {
  readonly file: number;
}

/** How far a thread has got, as it reports it. */
export interface ThreadCheckpoint {
  /** The last line that it has read; it gets ranges in the order of the files. */
  readonly lastRead: ReadLine | undefined;
  /** Lines up to there that have no outcome yet. */
  readonly open: readonly PendingRange[];
}

/**
 * Keeps the checkpoint of an import with several threads: the lines that they have read, the ranges
 * that they have yet to read, and what is not assigned yet.
 */
export class RangeTracker {
  readonly #before: Checkpoint;
  readonly #last: Map<number, LastLine>;
  /** Those of `#last` that are not committed yet. */
  #changed = new Map<number, LastLine>();
  readonly #workers: readonly WorkerProgress[];
  /** What earlier runs left open after the ranges assigned so far. */
  #left: readonly PendingRange[];

  constructor(before: Checkpoint, threads: number) {
    this.#before = before;
    this.#last = new Map(before.last);
    this.#left = before.open;
    this.#workers = Array.from({ length: threads }, () => ({
      ranges: [],
      done: 0,
      open: [],
      lastRead: undefined,
    }));
  }

  /** Assigns a range to a thread; called in the order of the files. */
  assign(range: Range, thread: number): void {
    const { file, start, last } = range;
    const lastLine = start.line + range.lines - 1;
    const inside = ([index]: PendingRange): boolean => index === file;
    this.#workers[thread]!.ranges.push({
      file,
      start,
      lastLine,
      newAfter: this.#newAfter(range),
      left: this.#left.filter(inside).flatMap((run) => partUpTo(run, lastLine)),
    });
    if (!last) return;
    this.#left = this.#left.flatMap((run) => (inside(run) ? partAfter(run, last) : [run]));
    if ((this.#last.get(file)?.line ?? 0) > last.line) return;
    const line = lastLineIn(range, last);
    this.#last.set(file, line);
    this.#changed.set(file, line);
  }

  /** Notes how many ranges a thread has ended, and which of its lines are open. */
  note(thread: number, doneRanges: number, { open, lastRead }: ThreadCheckpoint): void {
    const worker = this.#workers[thread]!;
    worker.ranges.splice(0, doneRanges - worker.done);
    worker.done = doneRanges;
    worker.open = open;
    worker.lastRead = lastRead;
  }

  /** The last lines that have changed since `committed`, and all open lines. */
  changes(): Checkpoint {
    const open = this.#workers.flatMap((worker) => [...worker.open, ...unread(worker)]);
    return { last: this.#changed, open: [...open, ...this.#left] };
  }

  committed(): void {
    this.#changed = new Map();
  }

  /** Lines without an outcome read by this run, or by earlier ones and not yet by this one. */
  get openLines(): number {
    const left = this.#workers.flatMap((worker) =>
      worker.ranges.flatMap((range) => leftOf(worker, range)),
    );
    return countRead([...this.#workers.flatMap(({ open }) => open), ...left, ...this.#left]);
  }

  /** Whether a thread has ranges that it has not read to their end. */
  get hasOpenRanges(): boolean {
    return this.#workers.some(({ ranges }) => ranges.length > 0);
  }

  /** The last line of the earlier runs, unless it has grown since and is read once more. */
  #newAfter(range: Range): number {
    const before = this.#before.last.get(range.file);
    if (!before) return 0;
    const { start, last } = range;
    const isHere = last !== undefined && start.line <= before.line && before.line <= last.line;
    return isHere && lengthNow(range, before) !== before.length ? before.line - 1 : before.line;
  }
}

/** What was assigned to a thread and it has not read yet. */
function unread(worker: WorkerProgress): PendingRange[] {
  return worker.ranges.flatMap((range) => [...leftOf(worker, range), ...newOf(worker, range)]);
}

function leftOf(worker: WorkerProgress, range: OpenRange): PendingRange[] {
  const lastRead = lastReadOf(worker, range);
  return range.left.flatMap((run) => (lastRead ? partAfter(run, lastRead) : [run]));
}

/** Lines that no run has read. Reading can begin at the last line read, or at the start of the range. */
function newOf(worker: WorkerProgress, range: OpenRange): PendingRange[] {
  const { file, start, lastLine, newAfter } = range;
  const lastRead = lastReadOf(worker, range);
  const from = lastRead ?? start;
  const first = Math.max(lastRead ? lastRead.line + 1 : start.line, newAfter + 1);
  if (first > lastLine) return [];
  return [[file, from.line, from.offset, lastLine - from.line + 1, first - from.line, true]];
}

/** The last line of a range that a thread has read. */
function lastReadOf(
  { lastRead }: WorkerProgress,
  { file, start, lastLine }: OpenRange,
): ReadLine | undefined {
  const isHere =
    lastRead?.file === file && lastRead.line >= start.line && lastRead.line <= lastLine;
  return isHere ? lastRead : undefined;
}

const lineFeed = 0x0a;

/** The last line of a range, with its hash. */
function lastLineIn(range: Range, position: LinePosition): LastLine {
  if (range.cutFrom !== undefined) return { ...position };
  const origin: Origin = { file: '', ...position };
  return lastLineOf(parseLine(bytesOf(range, position), origin));
}

/** Length of a line of the range, as in `Origin`. */
function lengthNow(range: Range, position: LinePosition): number {
  return range.cutFrom ?? bytesOf(range, position).length;
}

function bytesOf({ bytes, start }: Range, { offset }: LinePosition): Buffer {
  const at = offset - start.offset;
  const end = bytes.indexOf(lineFeed, at);
  return withoutEnds(bytes.subarray(at, end === -1 ? bytes.length : end), offset === 0);
}
