import type { OpenRun } from '../ledger/progress.js';
import type { Counts } from '../ledger/store.js';
import type { TakenLine, ThreadPlace } from './range-book.js';

/** What a thread has come to, counted from its beginning. */
export interface Standing {
  readonly place: ThreadPlace;
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

/** Numbers in front of the runs. */
const scalars = 14;
const numbersARun = 6;
/** Stands for the line where none was taken. */
const noLine = -1;

/** Writes it into a list of numbers, from its beginning. False where the list is too short for it. */
export function writeStanding(standing: Standing, list: Float64Array): boolean {
  const { counts, place } = standing;
  const { taken, open } = place;
  const length = scalars + open.length * numbersARun;
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
  list[10] = taken ? taken.file : 0;
  list[11] = taken ? taken.line : noLine;
  list[12] = taken ? taken.offset : 0;
  list[13] = open.length;
  let at = scalars;
  for (const run of open) at = writeRun(run, list, at);
  return true;
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
  const taken = takenFrom(next(), next(), next());
  const runs = next();
  const open = Array.from({ length: runs }, () =>
    runFrom(next(), next(), next(), next(), next(), next()),
  );
  return { place: { taken, open }, counts, ...progress, ...others };
}

function takenFrom(file: number, line: number, offset: number): TakenLine | undefined {
  return line === noLine ? undefined : { file, line, offset };
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
