import type { Event, Item, Origin, Problem } from '../events/event.js';
import { BrokenInputError } from './broken-input.js';
import type { Input } from './input.js';
import { fileStart, LineSplitter, type Line, type LineStart, type LineTest } from './lines.js';
import { readRejected } from './formats/rejected-line.js';
import { longLine } from './long-line.js';
import { maxLineBytes } from './open-line.js';
import { OwnLines } from './own-lines.js';
import { parseLine } from '../events/parse.js';
import { ownBytes, type FileShare } from './shard.js';
import { Source, type SourceOptions } from './source.js';

/** The lines of an input that an earlier run has left. */
export interface Rest {
  /** The start of a line. A gzip file is still inflated from its beginning. */
  readonly start: LineStart;
  /** Whether this line is still to be read. */
  takes(line: number, length: number): boolean;
}

/** Makes an item of a line; `isText`: it is known to be UTF-8. Default: `parseLine`. */
export type ParseLine<T> = (bytes: Buffer, origin: Origin, isText: boolean) => T;

export interface ReadOptions<T = Event | Problem> extends SourceOptions {
  readonly parse?: ParseLine<T> | undefined;
  /** What is left of each input, by its index; undefined for all of it. */
  readonly rest?: (index: number) => Rest | undefined;
  /** What a shard has of each input, by its index. Default: everything. */
  readonly shares?: readonly FileShare[] | undefined;
}

/** Reads inputs in batches of events: a promise per event would cost too much. */
export async function* readBatches<T = Event | Problem>(
  inputs: readonly Input[],
  options: ReadOptions<T> = {},
): AsyncGenerator<(T | Problem)[]> {
  const stdin = await beginStdin(inputs, options);
  try {
    for (const [index, input] of inputs.entries()) {
      const source = input.name === '-' ? stdin : undefined;
      const share = options.shares?.[index];
      if (isForeign(input, share)) continue;
      yield* readFile(input, options.rest?.(index), {
        ...options,
        ...(source && { source }),
        ...(share && { share }),
      });
    }
  } finally {
    await stdin?.close();
  }
}

/**
 * Waits for the first bytes of standard input where files come before it: if it is another format,
 * nothing of the files may be sent. Not on a terminal, where nobody types yet.
 */
async function beginStdin(
  inputs: readonly Input[],
  options: SourceOptions,
): Promise<Source | undefined> {
  const input = inputs.slice(1).find(({ name }) => name === '-');
  if (!input || (options.stdin as { isTTY?: boolean } | undefined)?.isTTY) return undefined;
  const source = new Source(input, fileStart, options);
  await source.begin();
  return source;
}

/**
 * Whether a shard has nothing of an input, which it need not read then. An empty file may have grown since
 * it was found, so it counts as one byte.
 */
export function isForeign({ size = Infinity }: Input, share: FileShare | undefined): boolean {
  return share !== undefined && ownBytes(share, Math.max(1, size)) === 0;
}

async function* readFile<T>(
  input: Input,
  rest: Rest | undefined,
  options: LinesOptions & ReadOptions<T>,
): AsyncGenerator<(T | Problem)[]> {
  const { share, parse } = options;
  for await (const { lines, areText } of linesOf(input, rest?.start, options)) {
    for (const batch of readLines(lines, input.name, rest, areText, parse)) {
      yield share?.kind === 'events' ? batch.filter((item) => share.owns(item as Item)) : batch;
    }
  }
}

interface LinesOptions extends SourceOptions {
  /** Longer lines are cut. Default: the limit for events. */
  readonly maxLineBytes?: number;
  /** The input, if it is open already. */
  readonly source?: Source;
  /** What a shard has of the input. */
  readonly share?: FileShare;
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
  options: LinesOptions = {},
  isDone?: LineTest,
): AsyncGenerator<ChunkLines> {
  const source = options.source ?? new Source(input, start, options);
  const own = ownLines(options.share, source);
  const maxBytes = options.maxLineBytes ?? maxLineBytes;
  let splitter = new LineSplitter(maxBytes, source.start);
  try {
    for (let chunk = await source.next(); chunk; chunk = await source.next()) {
      for (const { bytes, start } of own?.push(chunk) ?? [{ bytes: chunk, start: undefined }]) {
        if (start) splitter = new LineSplitter(maxBytes, start);
        for (const part of partsOf(bytes)) {
          const lines = splitter.push(part, isDone);
          yield { lines, areText: splitter.areText };
        }
      }
    }
    if (source.hasEnded) yield { lines: splitter.end(), areText: splitter.areText };
    reportFailure(source, input, (own ?? splitter).linesRead, options);
  } finally {
    await source.close();
  }
}

/** Finds the lines of a share that has only some blocks; undefined for one that has all. */
export function ownLines(share: FileShare | undefined, { start }: Source): OwnLines | undefined {
  return share?.kind === 'blocks' ? new OwnLines(share, start) : undefined;
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
  { onBroken }: Pick<SourceOptions, 'onBroken'>,
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
export function* readLines<T = Event | Problem>(
  lines: readonly Line[],
  file: string,
  rest: Pick<Rest, 'takes'> | undefined,
  areText: boolean,
  parse: ParseLine<T> = parseLine as ParseLine<T>,
): Generator<(T | Problem)[]> {
  const left = rest ? lines.filter((line) => isLeft(line, rest)) : lines;
  for (let at = 0; at < left.length; at += batchLines) {
    yield left.slice(at, at + batchLines).map((line) => readLine(line, file, areText, parse));
  }
}

function isLeft({ line, bytes, cutFrom }: Line, rest: Pick<Rest, 'takes'>): boolean {
  return rest.takes(line, cutFrom ?? bytes.length);
}

function readLine<T>(line: Line, file: string, isText: boolean, parse: ParseLine<T>): T | Problem {
  if (line.cutFrom !== undefined) return longLine(line, file);
  const { bytes, offset } = line;
  // What a decoder rejects begins with a zero byte, which no JSON text does.
  const rejected = bytes[0] === 0 ? readRejected(bytes) : undefined;
  if (rejected) {
    const origin = { file, line: line.line, offset, length: bytes.length };
    return { ...rejected, origin, isJson: false };
  }
  return parse(bytes, { file, line: line.line, offset, length: bytes.length }, isText);
}
