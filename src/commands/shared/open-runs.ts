import { setTimeout as wait } from 'node:timers/promises';
import type { RunStore } from '../../importer/shared/run-store.js';
import type { Io } from './command.js';
import { openStoreFor, type OpenStoreForOptions, type StoreFlags } from './store-flags.js';

const expiryWithinMs = 1_000;

/**
 * The runs of the store of these flags.
 *
 * @throws UsageError without a store, and for one that cannot be used
 */
export async function openRuns(
  flags: StoreFlags,
  io: Io,
  options: OpenStoreForOptions = {},
): Promise<RunStore> {
  const store = await openStoreFor(flags, io, options);
  const { PostgresRunStore } = await import('../../importer/shared/postgres/postgres-run-store.js');
  const runs = new PostgresRunStore(store);
  // Whoever comes next removes old runs; a store that cannot do it now keeps nobody waiting.
  const removed = runs.removeExpired().catch(() => undefined);
  await Promise.race([removed, wait(expiryWithinMs, undefined, { ref: false })]);
  return runs;
}
