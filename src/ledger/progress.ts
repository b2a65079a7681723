import { LinkedList, type Linked } from '../deliver/linked-list.js';
import type { Origin } from '../events/event.js';

/** Where an import has come to, as it is stored. Files and lines are numbered in their order. */
export interface Place {
  /** The last line that was taken of each file, by its index; null before the first. */
  readonly last: readonly (LinePlace | null)[];
  /** Lines up to there whose fate was open, as runs of neighbours. */
  readonly open: readonly OpenRun[];
}

export interface LinePlace {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
}

/**
 * `count` lines that follow one another, from `line` on, which begins at `offset`. The first `done` of
 * them (none, where it is absent) are not open: they only say where to begin reading. `isUntaken`: no
 * run has taken them, so they are to be read but do not count as read; blank ones are among them.
 */
export type OpenRun = readonly [
  file: number,
  line: number,
  offset: number,
  count: number,
  done?: number,
  isUntaken?: boolean,
];

/** A line that was taken and whose fate is open. */
export interface OpenLine extends Linked<OpenLine> {
  /** Index of its file in the import. */
  readonly file: number;
  readonly place: LinePlace;
  /** Events of this line that have not ended. */
  parts: number;
  /**
   * Only where it became several events: what they came to so far; counted when all have ended, so
   * that a crash counts none twice.
   */
  effects: (() => void)[] | undefined;
}

/** The line has become so many events: all of them must end before it does. */
export function split(line: OpenLine, parts: number): void {
  line.parts = parts;
  line.effects = [];
}

/** Keeps which lines were taken, and which of them are open. */
export class Progress {
  readonly #fileIndex: ReadonlyMap<string, number>;
  readonly #open = new LinkedList<OpenLine>();
  readonly #last: (LinePlace | null)[];
  /** What earlier runs left open and this one has not come to yet, for each file. */
  readonly #left: (readonly OpenRun[])[];

  constructor(files: readonly string[], before: Place) {
    this.#fileIndex = new Map(files.map((name, index) => [name, index]));
    this.#last = files.map((_name, index) => before.last[index] ?? null);
    this.#left = files.map((_name, index) => before.open.filter(([file]) => file === index));
  }

  get openLines(): number {
    return this.#open.size;
  }

  /** Lines that earlier runs left open and this one has not taken yet. */
  get leftLines(): number {
    return takenLines(this.#left.flat());
  }

  /** Takes the next line, or once more one that an earlier run left open. */
  take(origin: Origin): OpenLine {
    const file = this.#fileIndex.get(origin.file) ?? 0;
    const open: OpenLine = {
      file,
      place: origin,
      parts: 1,
      effects: undefined,
      previous: undefined,
      next: undefined,
    };
    // `<=`: a last line that has grown is taken again from where it began.
    if ((this.#last[file]?.line ?? 0) <= origin.line) this.#last[file] = origin;
    this.#pass(file, origin);
    this.#open.add(open);
    return open;
  }

  close(line: OpenLine): void {
    this.#open.delete(line);
  }

  place(): Place {
    return { last: this.#last.map(placeOf), open: [...this.#runs(), ...this.#left.flat()] };
  }

  #pass(file: number, place: LinePlace): void {
    const left = this.#left[file]!;
    if (left.length > 0) this.#left[file] = left.flatMap((run) => behind(run, place));
  }

  /** Lines are taken in order, so neighbours stand side by side here. */
  #runs(): OpenRun[] {
    const runs: [number, number, number, number][] = [];
    for (let line = this.#open.first; line; line = line.next) {
      const { file, place } = line;
      const run = runs.at(-1);
      if (run?.[0] === file && run[1] + run[3] === place.line) run[3]++;
      else runs.push([file, place.line, place.offset, 1]);
    }
    return runs;
  }
}

/** Without the file's name, which is not stored. */
function placeOf(place: LinePlace | null): LinePlace | null {
  return place && { line: place.line, offset: place.offset, length: place.length };
}

/** How many lines of these runs were taken. */
export function takenLines(runs: readonly OpenRun[]): number {
  return runs.reduce(
    (sum, [, , , count, done = 0, isUntaken]) => (isUntaken ? sum : sum + count - done),
    0,
  );
}

/** What of a run lies at a line or before it. */
export function upTo(run: OpenRun, line: number): OpenRun[] {
  const [file, first, offset, count, done = 0, ...kind] = run;
  const left = Math.min(count, line - first + 1);
  return left > done ? [[file, first, offset, left, done, ...kind]] : [];
}

/** What of a run lies behind a line. Where the next one begins is not known, so it begins at this one. */
export function behind(run: OpenRun, { line, offset }: LinePlace): OpenRun[] {
  const [file, first, , count, done = 0, ...kind] = run;
  if (line < first) return [run];
  const rest = first + count - 1 - line;
  if (rest <= 0) return [];
  return [[file, line, offset, rest + 1, Math.max(1, first + done - line), ...kind]];
}
