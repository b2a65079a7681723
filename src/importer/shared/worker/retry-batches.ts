import type { RetryRow } from '../../../ledger/retry-row.js';
import type { RetryBatch } from '../item.js';

/** A retry item sends at most so many events, so that a crash repeats no more. */
const maxRows = 100;
/** Text of one batch, which only events of gzip files have; a larger event has a batch of its own. */
const maxTextBytes = 1_000_000;
/** Events of one batch are due at most so long after its first. */
const spanMs = 1_000;

/** Groups rows that are due at about the same time; `idOf` gets the number of the batch, from 1. */
export function retryBatches(
  rows: readonly RetryRow[],
  idOf: (n: number) => string,
): Map<string, RetryBatch> {
  const groups: RowGroup[] = [];
  for (const row of rows.toSorted((a, b) => a.dueAt - b.dueAt)) {
    if (!groups.at(-1)?.add(row)) groups.push(new RowGroup(row));
  }
  return new Map(groups.map((group, i) => [idOf(i + 1), batchOf(group.rows)]));
}

class RowGroup {
  readonly rows: RetryRow[];
  #textBytes: number;

  constructor(first: RetryRow) {
    this.rows = [first];
    this.#textBytes = textBytesOf(first);
  }

  /** Returns whether it had room for the row. */
  add(row: RetryRow): boolean {
    const textBytes = this.#textBytes + textBytesOf(row);
    const isNear = row.dueAt - this.rows[0]!.dueAt <= spanMs;
    if (!isNear || this.rows.length >= maxRows || textBytes > maxTextBytes) return false;
    this.rows.push(row);
    this.#textBytes = textBytes;
    return true;
  }
}

function textBytesOf({ text }: RetryRow): number {
  return text?.length ?? 0;
}

/**
 * Batches of one event each, for events that have failed again. None gets the id `own` of the item that
 * puts them: its job ends, and a batch of the same id would be left without one.
 */
export function singleBatches(rows: readonly RetryRow[], own: string): Map<string, RetryBatch> {
  return new Map(
    rows.map((row) => {
      const id = singleId(row);
      return [id === own ? `${id}-again` : id, batchOf([row])];
    }),
  );
}

/**
 * Unique by the offset in a file, and by the line in a table; by the number of attempts, which is almost always higher
 * when an event is put again.
 */
function singleId({ file, line, offset, part, endpointDeliveries }: RetryRow): string {
  const attempts = endpointDeliveries.reduce((sum, state) => sum + state.attempts, 0);
  return `e${file}-${line}-${offset}${part > 0 ? `-${part}` : ''}-${attempts}`;
}

export function batchOf(rows: readonly RetryRow[]): RetryBatch {
  return { dueAt: Math.min(...rows.map(({ dueAt }) => dueAt)), rows };
}

/** The row with its times on a clock that is `byMs` ahead, and with the text as a Buffer after a copy. */
export function shifted(row: RetryRow, byMs: number, file: number): RetryRow {
  return {
    ...row,
    file,
    text: row.text && Buffer.from(row.text),
    dueAt: row.dueAt + byMs,
    endpointDeliveries: row.endpointDeliveries.map((state) => ({
      ...state,
      firstAt: state.firstAt + byMs,
      ...(state.dueAt !== undefined && { dueAt: state.dueAt + byMs }),
    })),
  };
}
