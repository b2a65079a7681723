import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Origin } from '../../../src/events/event.js';
import { fileStart } from '../../../src/sources/lines.js';
import { RangeCutter, type Range } from '../../../src/sources/range.js';
import { readRange } from '../../../src/sources/ranges.js';
import { Progress, type PendingLine, type Checkpoint } from '../../../src/ledger/progress.js';
import { restOf } from '../../../src/ledger/resume.js';
import { RangeTracker, type ReadLine } from '../../../src/importer/workers/range-tracker.js';
import { lineAt, emptyCheckpoint, checkpointAfter } from '../../helpers/checkpoint.js';
import { runs } from '../../helpers/property-runs.js';

interface Files {
  readonly texts: readonly string[];
  /** Gzip files are always read from their start. */
  readonly isGzip: boolean;
}

/** The ranges of a run that resumes from `checkpoint`. */
function rangesOf({ texts, isGzip }: Files, checkpoint: Checkpoint, rangeBytes: number): Range[] {
  return texts.flatMap((text, file) => {
    const start = (isGzip ? undefined : restOf(checkpoint, file)?.start) ?? fileStart;
    const cutter = new RangeCutter(file, start, rangeBytes);
    const bytes = Buffer.from(text).subarray(start.offset);
    const ranges: Range[] = [];
    for (let at = 0; at < bytes.length; at += 7)
      ranges.push(...cutter.push(bytes.subarray(at, at + 7)));
    return [...ranges, ...cutter.end()];
  });
}

function* linesOf(range: Range, checkpoint: Checkpoint): Generator<Origin> {
  const rest = restOf(checkpoint, range.file);
  const takes = rest && ((line: number, length: number) => rest.takes(line, length));
  for (const items of readRange(range, String(range.file), takes)) {
    for (const { origin } of items) yield origin;
  }
}

function linesLeft(files: Files, checkpoint: Checkpoint): Origin[] {
  return rangesOf(files, checkpoint, 64).flatMap((range) => [...linesOf(range, checkpoint)]);
}

function nameOf({ file, line, offset, length }: Origin): string {
  return [file, line, offset, length].join(' ');
}

function without(all: Iterable<string>, some: ReadonlySet<string>): string[] {
  return [...all].filter((name) => !some.has(name)).sort();
}

/** What has happened in a thread. */
interface History {
  readonly read: ReadonlySet<string>;
  readonly settled: ReadonlySet<string>;
  readonly done: number;
  readonly lastRead: ReadLine | undefined;
  readonly changes: Checkpoint;
}

/** A model of a worker thread: it reads its lines in order and ends them in any order. */
class Thread {
  readonly #before: Checkpoint;
  readonly #progress: Progress;
  readonly #ranges: Range[] = [];
  readonly #open: [string, PendingLine][] = [];
  readonly #read = new Set<string>();
  readonly #settled = new Set<string>();
  #lines: Generator<Origin> | undefined;
  #done = 0;
  #lastRead: ReadLine | undefined;

  /** `before`: which lines are left. A thread that is alone has the progress of the whole import. */
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
      const { file, offset, length } = line;
      this.#lastRead = { file: Number(file), line: line.line, offset, length };
      this.#open.push([nameOf(line), this.#progress.open(lineAt(line))]);
      this.#read.add(nameOf(line));
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

  history(): History {
    const [read, settled] = [new Set(this.#read), new Set(this.#settled)];
    const changes = structuredClone(this.#progress.changes());
    return { read, settled, done: this.#done, lastRead: this.#lastRead, changes };
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

function progressOf(texts: readonly string[], checkpoint: Checkpoint): Progress {
  return new Progress(
    texts.map((_, i) => String(i)),
    checkpoint,
  );
}

type Step =
  | { readonly kind: 'give' | 'report'; readonly thread: number }
  | { readonly kind: 'take' | 'end'; readonly thread: number; readonly n: number }
  | { readonly kind: 'commit' };

/** The checkpoint on disk, and the lines that it stands for. */
interface Disk {
  readonly checkpoint: Checkpoint;
  readonly settled: ReadonlySet<string>;
  /** Lines that were read and have no outcome yet. */
  readonly open: ReadonlySet<string>;
}

/** One run with several threads, killed after the last step. */
function killedRun(files: Files, disk: Disk, { threads, rangeBytes, steps }: Run): Disk {
  const tracker = new RangeTracker(disk.checkpoint, threads);
  const workers = Array.from({ length: threads }, () => new Thread(files, disk.checkpoint));
  const reported = new Map<Thread, History>();
  const ranges = rangesOf(files, disk.checkpoint, rangeBytes);
  let durable = disk;
  for (const step of steps) {
    if (step.kind === 'commit') {
      const checkpoint = checkpointAfter(durable.checkpoint, tracker.changes());
      tracker.committed();
      durable = { ...after(disk, [...reported.values()]), checkpoint };
      continue;
    }
    const thread = step.thread % threads;
    const worker = workers[thread]!;
    if (step.kind === 'take') worker.take(step.n);
    else if (step.kind === 'end') worker.end(step.n);
    else if (step.kind === 'report') {
      const history = worker.history();
      reported.set(worker, history);
      tracker.note(thread, history.done, {
        lastRead: history.lastRead,
        open: history.changes.open,
      });
    } else {
      const range = ranges.shift();
      if (range) tracker.assign(range, thread);
      if (range) worker.give(range);
    }
    expect(tracker.openLines).toBe(after(disk, [...reported.values()]).open.size);
  }
  return durable;
}

/** One run in the main thread alone, killed after the last step. */
function killedAlone(files: Files, disk: Disk, { rangeBytes, steps }: Run): Disk {
  const main = new Thread(files, disk.checkpoint, true);
  for (const range of rangesOf(files, disk.checkpoint, rangeBytes)) main.give(range);
  let durable = disk;
  for (const step of steps) {
    if (step.kind === 'take') main.take(step.n);
    else if (step.kind === 'end') main.end(step.n);
    else if (step.kind === 'commit') {
      const history = main.history();
      durable = {
        ...after(disk, [history]),
        checkpoint: checkpointAfter(disk.checkpoint, history.changes),
      };
    }
    expect(main.pending).toBe(after(disk, [main.history()]).open.size);
  }
  return durable;
}

function after(disk: Disk, histories: readonly History[]): Omit<Disk, 'checkpoint'> {
  const settled = new Set(disk.settled);
  const open = new Set(disk.open);
  for (const history of histories) {
    for (const name of history.read) open.add(name);
    for (const name of history.settled) settled.add(name);
    for (const name of history.settled) open.delete(name);
  }
  return { settled, open };
}

/** The last line has become longer: it now has another name, and is open if it was. */
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
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('report' as const), thread }) },
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
  const left = linesLeft(files, disk.checkpoint).map(nameOf);
  expect(left.sort()).toEqual(without(namesOf(files), disk.settled));
  expect(progressOf(files.texts, disk.checkpoint).leftLines).toBe(disk.open.size);
}

describe('an import that is killed at any time, repeatedly, with any number of threads', () => {
  it('reads each line until it is settled on disk, no settled line again, and counts open lines', () => {
    fc.assert(
      fc.property(
        fc.record({ texts: fc.array(text, { minLength: 1, maxLength: 3 }), isGzip: fc.boolean() }),
        fc.array(run, { maxLength: 5 }),
        (given, runs) => {
          let files: Files = given;
          let disk: Disk = { checkpoint: emptyCheckpoint, settled: new Set(), open: new Set() };
          for (const each of runs) {
            const texts = files.texts.map((whole, i) => whole + (each.added[i] ?? ''));
            const longer = { ...files, texts };
            disk = grown(files, disk, longer);
            files = longer;
            check(files, disk);
            disk = (each.threads > 0 ? killedRun : killedAlone)(files, disk, each);
          }
          check(files, disk);
          const last = progressOf(files.texts, disk.checkpoint);
          for (const line of linesLeft(files, disk.checkpoint)) last.close(last.open(lineAt(line)));
          expect(last.leftLines).toBe(0);
          expect(linesLeft(files, checkpointAfter(disk.checkpoint, last.changes()))).toEqual([]);
        },
      ),
      { numRuns: runs(500) },
    );
  });
});

describe('a line that an earlier run has settled', () => {
  it.each([
    ['after a byte order mark', '\ufeff{"a":1}\n', [2]],
    ['with a CR', '{"a":1}\r\n', [2]],
    ['after a byte order mark, with a CR', '\ufeff{"a":1}\r\n', [2]],
    ['truncated then', '{"a":', [1, 2]],
    ['without its newline then', '{"a":1}', [2]],
    ['between CR and LF', '{"a":1}\r', [2]],
    ['blank', '  ', [1, 2]],
  ])('%s is read again only if it has grown since', (_how, before, left) => {
    const files: Files = { texts: [before], isGzip: false };
    const first = new RangeTracker(emptyCheckpoint, 1);
    const worker = new Thread(files, emptyCheckpoint);
    for (const range of rangesOf(files, emptyCheckpoint, 1)) {
      first.assign(range, 0);
      worker.give(range);
    }
    worker.take(9);
    worker.end(0);
    const { lastRead, changes } = worker.history();
    first.note(0, 0, { lastRead, open: changes.open });
    const then = checkpointAfter(emptyCheckpoint, first.changes());
    const more = before.endsWith('\n') ? '' : before.endsWith('\r') ? '\n' : '1}\n';
    const added = before.endsWith('}') ? '\n{}\n' : `${more}{}\n`;
    const longer: Files = { texts: [before + added], isGzip: false };
    const second = new RangeTracker(then, 1);
    for (const range of rangesOf(longer, then, 1_000)) second.assign(range, 0);
    const lines = linesLeft(longer, checkpointAfter(then, second.changes())).map(
      ({ line }) => line,
    );
    expect(lines).toEqual(left);
  });
});
