import type { LinePlace, OpenRun, Place } from '../ledger/progress.js';
import type { Counts } from '../ledger/store.js';

/** What a thread has come to, counted from its beginning. */
export interface Standing {
  readonly place: Place;
  readonly counts: Counts;
  /** Bytes of delivered events. */
  readonly bytes: number;
  /** Rows that are to be made durable. */
  readonly rows: number;
  /** Ranges that were taken to their last line. */
  readonly doneRanges: number;
  /** Events that wait for a retry now. */
  readonly waiting: number;
  /** Tries that were not the first. */
  readonly retries: number;
  /** Commits that were told by message, this one included where it was. */
  readonly messages: number;
}

/** Numbers in front of the files and runs. */
const scalars = 12;
const numbersAFile = 3;
const numbersARun = 6;
/** Stands for the line of a file of which none was taken. */
const noLine = -1;

/** Writes it into a list of numbers, from its beginning. False where the list is too short for it. */
export function writeStanding(standing: Standing, list: Float64Array): boolean {
  const { counts, place } = standing;
  const { last, open } = place;
  const length = scalars + last.length * numbersAFile + open.length * numbersARun;
  if (length > list.length) return false;
  list[0] = counts.delivered;
  list[1] = counts.rejected;
  list[2] = counts.failed;
  list[3] = counts.skipped;
  list[4] = standing.bytes;
  list[5] = standing.rows;
  list[6] = standing.doneRanges;
  list[7] = standing.waiting;
  list[8] = standing.retries;
  list[9] = standing.messages;
  list[10] = last.length;
  list[11] = open.length;
  let at = scalars;
  for (const line of last) at = writeLine(line, list, at);
  for (const run of open) at = writeRun(run, list, at);
  return true;
}

function writeLine(line: LinePlace | null, list: Float64Array, at: number): number {
  list[at] = line ? line.line : noLine;
  list[at + 1] = line ? line.offset : 0;
  list[at + 2] = line ? line.length : 0;
  return at + numbersAFile;
}

function writeRun(run: OpenRun, list: Float64Array, at: number): number {
  list[at] = run[0];
  list[at + 1] = run[1];
  list[at + 2] = run[2];
  list[at + 3] = run[3];
  list[at + 4] = run.length > 4 ? run[4]! : 0;
  list[at + 5] = run.length > 5 && run[5] ? 1 : 0;
  return at + numbersARun;
}

/** Reads what `writeStanding` has written. */
export function readStanding(list: Float64Array): Standing {
  let at = 0;
  const next = (): number => list[at++]!;
  const counts = { delivered: next(), rejected: next(), failed: next(), skipped: next() };
  const progress = { bytes: next(), rows: next(), doneRanges: next() };
  const others = { waiting: next(), retries: next(), messages: next() };
  const files = next();
  const runs = next();
  const last = Array.from({ length: files }, () => lineFrom(next(), next(), next()));
  const open = Array.from({ length: runs }, () =>
    runFrom(next(), next(), next(), next(), next(), next()),
  );
  return { place: { last, open }, counts, ...progress, ...others };
}

function lineFrom(line: number, offset: number, length: number): LinePlace | null {
  return line === noLine ? null : { line, offset, length };
}

/** What is absent from most runs stays absent: so it is stored. */
function runFrom(
  file: number,
  line: number,
  offset: number,
  count: number,
  done: number,
  isUntaken: number,
): OpenRun {
  if (isUntaken) return [file, line, offset, count, done, true];
  return done === 0 ? [file, line, offset, count] : [file, line, offset, count, done];
}
