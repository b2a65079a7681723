import { ImportStore } from '../../ledger/store.js';

/** Stores of this thread that no job uses now; never more than there were jobs at once. */
const idle: ImportStore[] = [];

/**
 * An empty store for one job of this thread. Stores are used again: the memory of a closed one would only be freed
 * once its statements are garbage-collected, which can take long, since these objects are small.
 */
export async function takePrivateStore(): Promise<ImportStore> {
  return idle.pop() ?? (await ImportStore.open(''));
}

/** Empties a store, and keeps it for the next job. */
export function returnPrivateStore(store: ImportStore): void {
  store.clear();
  idle.push(store);
}
