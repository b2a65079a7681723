import type { Transaction } from './queries.js';

/** Gives the transaction its id, which it otherwise gets with its first write. */
export function assignTransactionId(tx: Transaction): void {
  tx.send('SELECT pg_current_xact_id()');
}
