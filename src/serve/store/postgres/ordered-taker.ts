import type { StoreParts } from './context.js';
import type { OrderLease } from './order-lease.js';
import type { Taker } from './taker.js';
import type { TakenKind, Unit } from './unit.js';

export interface OrderedTakerOptions {
  readonly parts: StoreParts;
  /** Number. */
  readonly destination: number;
  readonly taker: Taker;
  readonly lease: OrderLease;
  /** Ids of the blocks that this process has taken. */
  readonly blocks: () => readonly number[];
  /** Whether all that was taken has to be released. */
  readonly isLost: () => boolean;
}

/** How many of these are kept: they are in memory beside what the lane holds. */
const maxEarly = 32;

/** Takes units while this instance has the lease, and blocks only in their order. */
export class OrderedTaker implements Pick<Taker, 'take' | 'release'> {
  readonly #options: OrderedTakerOptions;
  /** Blocks that were taken while an earlier one waits, or is in the hands of another process. */
  #early: Unit[] = [];
  #isClosed = false;

  constructor(options: OrderedTakerOptions) {
    this.#options = options;
  }

  /** @throws StoreUnavailable */
  async take(kind: TakenKind, limit: number, early: boolean): Promise<Unit[]> {
    const { lease, isLost } = this.#options;
    if (!(await lease.obtain())) return [];
    const { job } = lease;
    const taken = await this.#take(kind, limit, early);
    if (lease.job === job && !isLost() && !this.#isClosed) return taken;
    // Another instance may be the one that sends by now, or a lane that has followed this one.
    await this.release(taken);
    await this.releaseEarly();
    return [];
  }

  /** Keeps nothing, also of what is being taken. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.releaseEarly();
  }

  async #take(kind: TakenKind, limit: number, early: boolean): Promise<Unit[]> {
    const { taker } = this.#options;
    if (kind === 'retries') return taker.take(kind, limit, early);
    for (;;) {
      const taken = await taker.take(kind, limit, early);
      const ready = await this.#ready(taken);
      if (ready.length > 0 || taken.length === 0 || this.#isClosed) return ready;
      if (this.#early.length <= maxEarly) continue;
      // Those behind come again once the first ones can go.
      await this.release(this.#early.splice(maxEarly));
      return [];
    }
  }

  async release(units: readonly Unit[]): Promise<void> {
    await this.#options.taker.release(units);
  }

  /** Releases the units that it keeps itself. */
  async releaseEarly(): Promise<void> {
    await this.release(this.#early.splice(0));
  }

  /** What comes next of these and of those that were early. */
  async #ready(taken: readonly Unit[]): Promise<Unit[]> {
    const { blocks } = this.#options;
    const all = [...this.#early, ...taken].filter(({ job }) => !job.lost.aborted);
    if (all.length === 0) return [];
    this.#early = all;
    const first = await this.#firstBut([...blocks(), ...all.map(({ id }) => id)]);
    // They may have been released meanwhile.
    const held = this.#early.sort((one, other) => one.id - other.id);
    this.#early = held.filter(({ id }) => id > first);
    return held.filter(({ id }) => id < first);
  }

  /** The lowest id of the queued blocks, except these. */
  async #firstBut(ids: readonly number[]): Promise<number> {
    const { parts, destination } = this.#options;
    const { database, schema } = parts.shared;
    const [row] = await database.query<{ block: number }>(
      `SELECT block FROM ${schema}.queued_block WHERE destination = $1 AND block <> ALL($2)
       ORDER BY block LIMIT 1`,
      [destination, ids],
    );
    return row?.block ?? Infinity;
  }
}
