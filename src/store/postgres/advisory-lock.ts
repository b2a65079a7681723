import type { Queries } from './queries.js';

/**
 * Takes the advisory lock of a name until the end of the transaction; resolves to whether it was free.
 * @param seed of the hash of the name: programs of other versions use it, too
 */
export async function tryLock(tx: Queries, name: string, seed: number): Promise<boolean> {
  const [row] = await tx.query<{ taken: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtextextended($1, ${seed})) AS taken`,
    [name],
  );
  return row!.taken;
}
