import { EvfwdError, exitCodes } from '../errors.js';
import type { Event, Problem } from '../events/event.js';
import { findInputs, reasonOf, type Input } from './input.js';
import { fileStart, LineSplitter, type Line, type LineStart, type LineTest } from './lines.js';
import { longLine } from './long-line.js';
import { maxLineBytes } from './open-line.js';
import { parseLine } from '../events/parse.js';
import { Source, type SourceOptions } from './source.js';

/**
 * An input that could not be read to its end. Its whole lines were read; of damaged gzip data, those in
 * the pieces of 16 KB that were inflated before the damage.
 */
export class BrokenInputError extends EvfwdError {
  readonly file: string;
  readonly lines: number;

  constructor(file: string, lines: number, cause: unknown) {
    const message = `${file}: ${reasonOf(cause)}, after ${lines} whole lines; fix the file and run again`;
    super('broken_input', message, exitCodes.incomplete, { cause });
    this.file = file;
    this.lines = lines;
  }
}

/** The lines of an input that an earlier run has left. */
export interface Rest {
  /** The start of a line. A gzip file is still inflated from its beginning. */
  readonly start: LineStart;
  /** Whether this line is still to be read. */
  takes(line: number, length: number): boolean;
}

export interface ReadOptions extends SourceOptions {
  /** Called for a truncated input; then the next one is read. Default: the error is thrown. */
  readonly onBroken?: (error: BrokenInputError) => void;
  /** What is left of each input, by its index; undefined for all of it. */
  readonly rest?: (index: number) => Rest | undefined;
}

/**
 * Reads event files one event at a time: NDJSON, plain or gzip, `-` for standard input. Each item
 * is a valid `Event`, or a `Problem` with its code, message, file, line and byte offset.
 *
 * @example
 * for await (const item of readEvents(['history.ndjson.gz'])) {
 *   if ('code' in item) console.error(`${item.origin.file}:${item.origin.line}: ${item.message}`);
 *   else console.log(item.value.type, item.bytes.length);
 * }
 *
 * @throws UsageError when a path cannot be read; BrokenInputError when an input is truncated (its
 * whole lines come first).
 */
export async function* readEvents(
  paths: string | readonly string[],
  options: ReadOptions = {},
): AsyncGenerator<Event | Problem> {
  const inputs = await findInputs(typeof paths === 'string' ? [paths] : paths);
  for await (const batch of readBatches(inputs, options)) {
    // Faster than `yield* batch`, which awaits each item twice.
    for (const item of batch) yield item;
  }
}

/** The same in batches: a promise per event would cost too much. */
export async function* readBatches(
  inputs: readonly Input[],
  options: ReadOptions = {},
): AsyncGenerator<(Event | Problem)[]> {
  for (const [index, input] of inputs.entries()) {
    yield* readFile(input, options.rest?.(index), options);
  }
}

async function* readFile(
  input: Input,
  rest: Rest | undefined,
  options: ReadOptions,
): AsyncGenerator<(Event | Problem)[]> {
  for await (const { lines, areText } of linesOf(input, rest?.start, options)) {
    yield* readLines(lines, input.name, rest, areText);
  }
}

/** The lines of a chunk. */
export interface ChunkLines {
  readonly lines: Line[];
  /** Whether all are known to be UTF-8. */
  readonly areText: boolean;
}

/** The lines of an input, chunk by chunk, without those that `isDone` handles. It does not see all lines. */
export async function* linesOf(
  input: Input,
  start: LineStart = fileStart,
  options: ReadOptions = {},
  isDone?: LineTest,
): AsyncGenerator<ChunkLines> {
  const source = new Source(input, start, options);
  const splitter = new LineSplitter(maxLineBytes, source.start);
  try {
    for (let chunk = await source.next(); chunk; chunk = await source.next()) {
      for (const part of partsOf(chunk)) {
        const lines = splitter.push(part, isDone);
        yield { lines, areText: splitter.areText };
      }
    }
    if (source.hasEnded) yield { lines: splitter.end(), areText: splitter.areText };
    reportFailure(source, input, splitter.linesRead, options);
  } finally {
    await source.close();
  }
}

const partBytes = 64 * 1024;

/** Splits into parts of 64 KB: a Line object needs some 200 bytes, and a line can be 2 bytes long. */
export function* partsOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += partBytes) yield bytes.subarray(at, at + partBytes);
}

/** @throws BrokenInputError if the source failed and there is no `onBroken`. */
export function reportFailure(
  { failure }: Source,
  { name }: Input,
  linesRead: number,
  { onBroken }: Pick<ReadOptions, 'onBroken'>,
): void {
  if (!failure) return;
  const error = new BrokenInputError(name, linesRead, failure.cause);
  if (!onBroken) throw error;
  onBroken(error);
}

/** Lines parsed at once: a chunk may hold a hundred thousand short ones. */
const batchLines = 64;

/**
 * The events and problems of those lines that are left to be read, in batches. `areText`: all lines are
 * known to be UTF-8.
 */
export function* readLines(
  lines: readonly Line[],
  file: string,
  rest: Pick<Rest, 'takes'> | undefined,
  areText: boolean,
): Generator<(Event | Problem)[]> {
  const left = rest ? lines.filter((line) => isLeft(line, rest)) : lines;
  for (let at = 0; at < left.length; at += batchLines) {
    yield left.slice(at, at + batchLines).map((line) => readLine(line, file, areText));
  }
}

function isLeft({ line, bytes, cutFrom }: Line, rest: Pick<Rest, 'takes'>): boolean {
  return rest.takes(line, cutFrom ?? bytes.length);
}

function readLine(line: Line, file: string, isText: boolean): Event | Problem {
  if (line.cutFrom !== undefined) return longLine(line, file);
  const { bytes, offset } = line;
  return parseLine(bytes, { file, line: line.line, offset, length: bytes.length }, isText);
}
