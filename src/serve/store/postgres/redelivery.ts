import type { Row } from '../../../storage/sqlite.js';
import type { Transaction } from '../../../store/postgres/queries.js';
import { seenKey } from '../seen-key.js';
import { eventOfRow, unlessDamaged } from '../stored.js';
import { CountChanges, type StoreParts } from './context.js';
import { NewBlocks } from './new-blocks.js';

/**
 * Queues dead letters again within a transaction, the oldest first, as they arrived. Returns the numbers of their
 * destinations, one for each. One that cannot be read stays.
 */
export async function requeueDeadLetters(
  tx: Transaction,
  parts: StoreParts,
  ids: readonly number[],
): Promise<number[]> {
  const { schema, database } = parts.shared;
  const { names, seen } = parts;
  const rows = await tx.query<Row>(
    `SELECT * FROM ${schema}.dead_letter WHERE id = ANY($1) ORDER BY id FOR UPDATE`,
    [[...new Set(ids)]],
  );
  const counts = new CountChanges();
  const blocks = new NewBlocks();
  const keys: string[] = [];
  const destinations: number[] = [];
  const requeued: number[] = [];
  for (const row of rows) {
    const source = Number(row.source);
    const destination = Number(row.destination);
    const read = unlessDamaged(() => eventOfRow(row, names.name(source)));
    if (!read) continue;
    const { receivedAt, event, stamp } = read;
    blocks.add({ source, receivedAt, event, stamp }, [destination]);
    // It waits again, so a repeat is one.
    keys.push(seenKey(source, destination, stamp.messageId));
    counts.add(source, destination, 'redelivered');
    destinations.push(destination);
    requeued.push(Number(row.id));
  }
  tx.send(`DELETE FROM ${schema}.dead_letter WHERE id = ANY($1)`, [requeued]);
  await seen.note(tx, new Set(keys), database.now());
  await blocks.write(tx, parts);
  counts.write(tx, schema);
  return destinations;
}
