import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Origin } from '../../../src/events/event.js';
import { fileStart } from '../../../src/input/lines.js';
import { RangeCutter, type Range } from '../../../src/input/range.js';
import { readRange } from '../../../src/input/ranges.js';
import { Progress, type PendingLine, type Checkpoint } from '../../../src/ledger/progress.js';
import { restOf } from '../../../src/ledger/resume.js';
import { RangeTracker, type TakenLine } from '../../../src/importer/workers/range-tracker.js';
import { lineAt, emptyCheckpoint, checkpointAfter } from '../../helpers/place.js';
import { runs } from '../../helpers/property-runs.js';

interface Files {
  readonly texts: readonly string[];
  /** Then they are read from their beginning always. */
  readonly isGzip: boolean;
}

/** What a run is given of the files, where earlier ones have come to `place`. */
function rangesOf({ texts, isGzip }: Files, place: Checkpoint, rangeBytes: number): Range[] {
  return texts.flatMap((text, file) => {
    const start = (isGzip ? undefined : restOf(place, file)?.start) ?? fileStart;
    const cutter = new RangeCutter(file, start, rangeBytes);
    const bytes = Buffer.from(text).subarray(start.offset);
    const ranges: Range[] = [];
    for (let at = 0; at < bytes.length; at += 7)
      ranges.push(...cutter.push(bytes.subarray(at, at + 7)));
    return [...ranges, ...cutter.end()];
  });
}

function* linesOf(range: Range, place: Checkpoint): Generator<Origin> {
  const rest = restOf(place, range.file);
  const takes = rest && ((line: number, length: number) => rest.takes(line, length));
  for (const items of readRange(range, String(range.file), takes)) {
    for (const { origin } of items) yield origin;
  }
}

function linesLeft(files: Files, place: Checkpoint): Origin[] {
  return rangesOf(files, place, 64).flatMap((range) => [...linesOf(range, place)]);
}

function nameOf({ file, line, offset, length }: Origin): string {
  return [file, line, offset, length].join(' ');
}

function without(all: Iterable<string>, some: ReadonlySet<string>): string[] {
  return [...all].filter((name) => !some.has(name)).sort();
}

/** What has happened in a thread. */
interface Story {
  readonly taken: ReadonlySet<string>;
  readonly settled: ReadonlySet<string>;
  readonly done: number;
  readonly at: TakenLine | undefined;
  readonly changes: Checkpoint;
}

/** A worker thread, as far as its lines are concerned: it takes them in order and ends them in any. */
class Thread {
  readonly #before: Checkpoint;
  readonly #progress: Progress;
  readonly #ranges: Range[] = [];
  readonly #open: [string, PendingLine][] = [];
  readonly #taken = new Set<string>();
  readonly #settled = new Set<string>();
  #lines: Generator<Origin> | undefined;
  #done = 0;
  #last: TakenLine | undefined;

  /** `before` tells which lines are left; who has the place of the whole import goes on from it. */
  constructor({ texts }: Files, before: Checkpoint, isAlone = false) {
    this.#before = before;
    this.#progress = progressOf(texts, isAlone ? before : emptyCheckpoint);
  }

  get pending(): number {
    return this.#progress.openLines + this.#progress.leftLines;
  }

  give(range: Range): void {
    this.#ranges.push(range);
  }

  take(count: number): void {
    for (let i = 0; i < count; i++) {
      const line = this.#next();
      if (!line) return;
      this.#last = { file: Number(line.file), line: line.line, offset: line.offset };
      this.#open.push([nameOf(line), this.#progress.take(lineAt(line))]);
      this.#taken.add(nameOf(line));
    }
  }

  end(which: number): void {
    if (this.#open.length === 0) return;
    const [[name, line]] = this.#open.splice(which % this.#open.length, 1) as [
      [string, PendingLine],
    ];
    this.#progress.close(line);
    this.#settled.add(name);
  }

  story(): Story {
    const [taken, settled] = [new Set(this.#taken), new Set(this.#settled)];
    const changes = structuredClone(this.#progress.changes());
    return { taken, settled, done: this.#done, at: this.#last, changes };
  }

  #next(): Origin | undefined {
    for (;;) {
      if (!this.#lines) {
        const range = this.#ranges.shift();
        if (!range) return undefined;
        this.#lines = linesOf(range, this.#before);
      }
      const next = this.#lines.next();
      if (!next.done) return next.value;
      this.#lines = undefined;
      this.#done++;
    }
  }
}

function progressOf(texts: readonly string[], place: Checkpoint): Progress {
  return new Progress(
    texts.map((_, i) => String(i)),
    place,
  );
}

type Step =
  | { readonly kind: 'give' | 'tell'; readonly thread: number }
  | { readonly kind: 'take' | 'end'; readonly thread: number; readonly n: number }
  | { readonly kind: 'commit' };

/** What is on disk: where the import stands, and what that stands for. */
interface Disk {
  readonly place: Checkpoint;
  readonly settled: ReadonlySet<string>;
  /** Lines that were taken and whose fate is open. */
  readonly open: ReadonlySet<string>;
}

/** One run by several threads, which dies after the last step. */
function killedRun(files: Files, disk: Disk, { threads, rangeBytes, steps }: Run): Disk {
  const book = new RangeTracker(disk.place, threads);
  const workerPool = Array.from({ length: threads }, () => new Thread(files, disk.place));
  const told = new Map<Thread, Story>();
  const ranges = rangesOf(files, disk.place, rangeBytes);
  let durable = disk;
  for (const step of steps) {
    if (step.kind === 'commit') {
      const place = checkpointAfter(durable.place, book.changes());
      book.committed();
      durable = { ...after(disk, [...told.values()]), place };
      continue;
    }
    const thread = step.thread % threads;
    const worker = workerPool[thread]!;
    if (step.kind === 'take') worker.take(step.n);
    else if (step.kind === 'end') worker.end(step.n);
    else if (step.kind === 'tell') {
      const story = worker.story();
      told.set(worker, story);
      book.note(thread, story.done, { taken: story.at, open: story.changes.open });
    } else {
      const range = ranges.shift();
      if (range) book.give(range, thread);
      if (range) worker.give(range);
    }
    expect(book.openLines).toBe(after(disk, [...told.values()]).open.size);
  }
  return durable;
}

/** One run in the main thread alone. */
function killedAlone(files: Files, disk: Disk, { rangeBytes, steps }: Run): Disk {
  const main = new Thread(files, disk.place, true);
  for (const range of rangesOf(files, disk.place, rangeBytes)) main.give(range);
  let durable = disk;
  for (const step of steps) {
    if (step.kind === 'take') main.take(step.n);
    else if (step.kind === 'end') main.end(step.n);
    else if (step.kind === 'commit') {
      const story = main.story();
      durable = { ...after(disk, [story]), place: checkpointAfter(disk.place, story.changes) };
    }
    expect(main.pending).toBe(after(disk, [main.story()]).open.size);
  }
  return durable;
}

function after(disk: Disk, stories: readonly Story[]): Omit<Disk, 'place'> {
  const settled = new Set(disk.settled);
  const open = new Set(disk.open);
  for (const story of stories) {
    for (const name of story.taken) open.add(name);
    for (const name of story.settled) settled.add(name);
    for (const name of story.settled) open.delete(name);
  }
  return { settled, open };
}

/** The last line has become longer: it is another one now, and open if it was. */
function grown(files: Files, disk: Disk, longer: Files): Disk {
  const before = new Set(namesOf(files));
  const now = namesOf(longer);
  const gone = without(before, new Set(now));
  const open = new Set(disk.open);
  for (const name of gone) {
    if (!open.delete(name)) continue;
    const start = name.slice(0, name.lastIndexOf(' ') + 1);
    for (const other of now) if (other.startsWith(start)) open.add(other);
  }
  return { ...disk, open };
}

function namesOf(files: Files): string[] {
  return linesLeft(files, emptyCheckpoint).map(nameOf);
}

interface Run {
  /** 0 for the main thread alone. */
  readonly threads: number;
  readonly rangeBytes: number;
  readonly steps: readonly Step[];
  /** What the files have grown by when it starts. */
  readonly added: readonly string[];
}

const lineText = fc.constantFrom('{"a":1}', '{}', '{"long":"xxxxxxxxxxxxxxx"}', 'oops', '', '  ');
const lines = fc
  .tuple(
    fc.array(fc.tuple(lineText, fc.constantFrom('\n', '\r\n')), { maxLength: 14 }),
    fc.constantFrom('', '', '{"cut', '{}', ' ', '{}\r'),
  )
  .map(([whole, cut]) => whole.flat().join('') + cut);
const text = fc.tuple(fc.constantFrom('', '\ufeff'), lines).map((parts) => parts.join(''));
const thread = fc.nat(2);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('give' as const), thread }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('tell' as const), thread }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('take' as const), thread, n: fc.nat(4) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('end' as const), thread, n: fc.nat(30) }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'commit' as const }) },
);
const run: fc.Arbitrary<Run> = fc.record({
  threads: fc.nat(3),
  rangeBytes: fc.constantFrom(1, 20, 60, 1_000),
  steps: fc.array(step, { maxLength: 40 }),
  added: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(lines, { maxLength: 3 }) },
  ),
});

function check(files: Files, disk: Disk): void {
  const left = linesLeft(files, disk.place).map(nameOf);
  expect(left.sort()).toEqual(without(namesOf(files), disk.settled));
  expect(progressOf(files.texts, disk.place).leftLines).toBe(disk.open.size);
}

describe('an import that dies at any moment, again and again, with any number of threads', () => {
  it('takes each line until it is settled on disk, no settled line again, and counts what is open', () => {
    fc.assert(
      fc.property(
        fc.record({ texts: fc.array(text, { minLength: 1, maxLength: 3 }), isGzip: fc.boolean() }),
        fc.array(run, { maxLength: 5 }),
        (given, runs) => {
          let files: Files = given;
          let disk: Disk = { place: emptyCheckpoint, settled: new Set(), open: new Set() };
          for (const each of runs) {
            const texts = files.texts.map((whole, i) => whole + (each.added[i] ?? ''));
            const longer = { ...files, texts };
            disk = grown(files, disk, longer);
            files = longer;
            check(files, disk);
            disk = (each.threads > 0 ? killedRun : killedAlone)(files, disk, each);
          }
          check(files, disk);
          const last = progressOf(files.texts, disk.place);
          for (const line of linesLeft(files, disk.place)) last.close(last.take(lineAt(line)));
          expect(last.leftLines).toBe(0);
          expect(linesLeft(files, checkpointAfter(disk.place, last.changes()))).toEqual([]);
        },
      ),
      { numRuns: runs(500) },
    );
  });
});

describe('a line that an earlier run has settled', () => {
  it.each([
    ['behind a byte order mark', '\ufeff{"a":1}\n', [2]],
    ['with a CR', '{"a":1}\r\n', [2]],
    ['behind a byte order mark, with a CR', '\ufeff{"a":1}\r\n', [2]],
    ['cut short then', '{"a":', [1, 2]],
    ['without its end then', '{"a":1}', [2]],
    ['between CR and LF', '{"a":1}\r', [2]],
    ['blank', '  ', [1, 2]],
  ])('%s is read again only if it has grown since', (_how, before, left) => {
    const files: Files = { texts: [before], isGzip: false };
    const first = new RangeTracker(emptyCheckpoint, 1);
    const worker = new Thread(files, emptyCheckpoint);
    for (const range of rangesOf(files, emptyCheckpoint, 1)) {
      first.give(range, 0);
      worker.give(range);
    }
    worker.take(9);
    worker.end(0);
    const { at: taken, changes } = worker.story();
    first.note(0, 0, { taken, open: changes.open });
    const then = checkpointAfter(emptyCheckpoint, first.changes());
    const more = before.endsWith('\n') ? '' : before.endsWith('\r') ? '\n' : '1}\n';
    const added = before.endsWith('}') ? '\n{}\n' : `${more}{}\n`;
    const longer: Files = { texts: [before + added], isGzip: false };
    const second = new RangeTracker(then, 1);
    for (const range of rangesOf(longer, then, 1_000)) second.give(range, 0);
    const lines = linesLeft(longer, checkpointAfter(then, second.changes())).map(
      ({ line }) => line,
    );
    expect(lines).toEqual(left);
  });
});
