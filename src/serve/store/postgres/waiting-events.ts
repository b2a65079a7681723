import type { ReadEvent } from '../../kept/block.js';
import { unlessDamaged } from '../stored.js';
import { maxBlockEvents, unpackBatch } from './codec.js';
import type { StoreParts } from './context.js';
import { isWaiting } from './unit.js';

/** Those of these events, in the order of their ids, that still wait for a destination. @throws StoreUnavailable */
export async function waitingAmong(
  { shared: { database, schema }, names }: StoreParts,
  destination: string,
  events: readonly ReadEvent[],
): Promise<ReadonlySet<ReadEvent>> {
  const own = events.filter(({ destinations }) => destinations.includes(destination));
  if (own.length === 0) return new Set();
  const number = names.find('destination', destination);
  const blockOf = ({ id }: ReadEvent): number => Math.floor(id / maxBlockEvents);
  const [first, last] = [own[0]!.id, own.at(-1)!.id];
  // In this order: an event leaves its block for a parked one or a retry, and never the other way.
  const blocks = await database.query<{ block: number; waiting_bits: Buffer | null }>(
    `SELECT block, waiting_bits FROM ${schema}.queued_block WHERE destination = $1 AND block BETWEEN $2 AND $3`,
    [number, blockOf(own[0]!), blockOf(own.at(-1)!)],
  );
  const parked = await database.query<{ event: number }>(
    `SELECT event FROM ${schema}.user_event
     WHERE destination = $1 AND event BETWEEN $2 AND $3 AND body IS NOT NULL`,
    [number, first, last],
  );
  const batches = await database.query<{ body: Buffer }>(
    `SELECT body FROM ${schema}.retry_batch WHERE destination = $1
     AND (first_event IS NULL OR (first_event <= $3 AND last_event >= $2))`,
    [number, first, last],
  );
  const bits = new Map(blocks.map(({ block, waiting_bits }) => [block, waiting_bits]));
  const ids = new Set([
    ...parked.map(({ event }) => event),
    ...batches.flatMap(({ body }) =>
      (unlessDamaged(() => unpackBatch(body)) ?? []).map(({ id }) => id),
    ),
  ]);
  const waits = (event: ReadEvent): boolean => {
    const block = blockOf(event);
    const inBlock = bits.has(block) && isWaiting(bits.get(block)!, event.id % maxBlockEvents);
    return inBlock || ids.has(event.id);
  };
  return new Set(own.filter(waits));
}
