import { sharedCounts } from '../ledger/histogram.js';
import type { Counts } from '../ledger/store.js';
import { NumbersReader, sharedNumbers } from './latest-numbers.js';
import type { ThreadMemory } from './messages.js';
import { readStanding, type Standing } from './standing.js';

/** By how much a thread has come further. */
export interface Advance {
  readonly counts: Counts;
  readonly bytes: number;
  readonly retries: number;
}

const atStart: Pick<Standing, 'counts' | 'bytes' | 'retries' | 'rows'> = {
  counts: { delivered: 0, rejected: 0, failed: 0, skipped: 0 },
  bytes: 0,
  retries: 0,
  rows: 0,
};

/** What is known of one thread, from its messages and from the memory that it shares. */
export class Desk {
  readonly memory: ThreadMemory;
  readonly #numbers: NumbersReader;
  #last = atStart;
  #waiting: number;
  #durableRows = 0;
  #messages = 0;
  /** A standing that was found before a message that it goes on from. */
  #early: Standing | undefined;

  /** `rows` are those of `Uncommitted`; so many events wait for a retry at the start. */
  constructor(rows: SharedArrayBuffer, waiting: number) {
    const standing = sharedNumbers();
    this.memory = { standing, latency: sharedCounts(), rows };
    this.#numbers = new NumbersReader(standing);
    this.#waiting = waiting;
  }

  /** Events of the thread that wait for a retry. */
  get waiting(): number {
    return this.#waiting;
  }

  /** The newest standing in memory, if there is one that can be noted. */
  look(): Standing | undefined {
    const list = this.#numbers.take();
    return list && this.#inTurn(readStanding(list));
  }

  /** A message has come; returns the standings that can be noted now, in their order. */
  hear(standing: Standing): Standing[] {
    this.#messages++;
    const next = this.#early && this.#inTurn(this.#early);
    return next ? [standing, next] : [standing];
  }

  note(standing: Standing): Advance {
    const { counts, bytes, retries } = this.#last;
    this.#last = standing;
    this.#waiting = standing.waiting;
    return {
      counts: since(counts, standing.counts),
      bytes: standing.bytes - bytes,
      retries: standing.retries - retries,
    };
  }

  /** All that was noted is on the disk; returns how many rows were not before. */
  settle(): number {
    const rows = this.#last.rows - this.#durableRows;
    this.#durableRows = this.#last.rows;
    return rows;
  }

  /**
   * Not before the messages that a standing goes on from, for without them events that wait would be
   * lost; and not at all behind a later message, which has told all of it.
   */
  #inTurn(standing: Standing): Standing | undefined {
    this.#early = standing.messages > this.#messages ? standing : undefined;
    return standing.messages === this.#messages ? standing : undefined;
  }
}

function since(before: Counts, now: Counts): Counts {
  return {
    delivered: now.delivered - before.delivered,
    rejected: now.rejected - before.rejected,
    failed: now.failed - before.failed,
    skipped: now.skipped - before.skipped,
  };
}
