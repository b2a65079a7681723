import type { ReadEvent } from '../../kept/block.js';
import { unlessDamaged } from '../stored.js';
import { batchIds, maxBlockEvents, placeOf } from './codec.js';
import type { StoreParts } from './context.js';
import { isWaiting } from './unit.js';

/** Retry batches that are read at once, of up to 256 KB each. */
const batchesAtOnce = 16;

interface Batch {
  readonly size: number;
  readonly ids: readonly number[];
}

/** Finds events that wait for a destination. It is asked again and again, and reads each retry batch once. */
export class WaitingEvents {
  readonly #parts: StoreParts;
  readonly #destination: string;
  /** By their ids. A batch that changes has fewer events than before. */
  #batches = new Map<number, Batch>();

  constructor(parts: StoreParts, destination: string) {
    this.#parts = parts;
    this.#destination = destination;
  }

  /** Those of these events, in the order of their ids, that still wait. @throws StoreUnavailable */
  async among(events: readonly ReadEvent[]): Promise<ReadonlySet<ReadEvent>> {
    const { shared, names } = this.#parts;
    const { database, schema } = shared;
    const own = events.filter(({ destinations }) => destinations.includes(this.#destination));
    if (own.length === 0) return new Set();
    const number = names.find('destination', this.#destination);
    // In this order: an event leaves its block for a parked one or a retry, and never the other way.
    const blocks = await database.query<{ block: number; waiting_bits: Buffer | null }>(
      `SELECT block, waiting_bits FROM ${schema}.queued_block WHERE destination = $1 AND block BETWEEN $2 AND $3`,
      [number, blockOf(own[0]!), blockOf(own.at(-1)!)],
    );
    const parked = await database.query<{ event: number }>(
      `SELECT event FROM ${schema}.user_event
       WHERE destination = $1 AND event BETWEEN $2 AND $3 AND body IS NOT NULL`,
      [number, own[0]!.id, own.at(-1)!.id],
    );
    await this.#readBatches(number);
    const bits = new Map(blocks.map(({ block, waiting_bits }) => [block, waiting_bits]));
    const wanted = new Set(own.map(({ id }) => id));
    const ids = new Set(parked.map(({ event }) => event));
    for (const batch of this.#batches.values())
      for (const id of batch.ids) if (wanted.has(id)) ids.add(id);
    const waits = (event: ReadEvent): boolean => {
      const block = blockOf(event);
      const inBlock = bits.has(block) && isWaiting(bits.get(block)!, placeOf(event.id));
      return inBlock || ids.has(event.id);
    };
    return new Set(own.filter(waits));
  }

  /** All of one moment: an event may go from one to another. */
  async #readBatches(destination: number): Promise<void> {
    const { database, schema } = this.#parts.shared;
    for (let isAll = false; !isAll;) {
      const listed = await database.query<{ id: number; size: number }>(
        `SELECT id, size FROM ${schema}.retry_batch WHERE destination = $1`,
        [destination],
      );
      const isKnown = ({ id, size }: (typeof listed)[number]): boolean =>
        this.#batches.get(id)?.size === size;
      const unread = listed.filter((row) => !isKnown(row)).map(({ id }) => id);
      const there = new Set(listed.map(({ id }) => id));
      for (const id of this.#batches.keys()) if (!there.has(id)) this.#batches.delete(id);
      for (let from = 0; from < unread.length; from += batchesAtOnce) {
        const rows = await database.query<{ id: number; size: number; body: Buffer }>(
          `SELECT id, size, body FROM ${schema}.retry_batch WHERE id = ANY($1)`,
          [unread.slice(from, from + batchesAtOnce)],
        );
        for (const { id, size, body } of rows)
          this.#batches.set(id, { size, ids: unlessDamaged(() => batchIds(body)) ?? [] });
      }
      isAll = listed.every(isKnown);
    }
  }
}

function blockOf({ id }: ReadEvent): number {
  return Math.floor(id / maxBlockEvents);
}
