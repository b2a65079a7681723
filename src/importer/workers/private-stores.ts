import { ImportStore } from '../../ledger/store.js';

/** Stores of this thread that no job uses now; as many as there were jobs at once. */
const idle: ImportStore[] = [];

/**
 * An empty store for one job of this thread. Jobs use the same few stores one after the other: the memory of
 * a closed one is free only when its statements are garbage-collected, which are small and so wait for long.
 */
export async function takePrivateStore(): Promise<ImportStore> {
  return idle.pop() ?? (await ImportStore.open(''));
}

/** For the next job; what is in the store is lost. */
export function returnPrivateStore(store: ImportStore): void {
  store.clear();
  idle.push(store);
}
