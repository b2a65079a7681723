import { afterEach, expect, it } from 'vitest';
import { MemoryBudget } from '../../../../src/serve/forward/memory-budget.js';
import { SqliteStore } from '../../../../src/serve/store/sqlite/sqlite-store.js';
import type { StoredEvent } from '../../../../src/serve/store/stored.js';
import { folderWith } from '../../../helpers/folder.js';
import { VirtualClock } from '../../../helpers/virtual-clock.js';
import { batchOf, ids } from '../../batches.js';
import { SqliteBacklog } from '../../../../src/serve/store/sqlite/backlog.js';

const stores = new Set<SqliteStore>();
afterEach(() => {
  for (const store of stores) store.close();
  stores.clear();
});

/** A backlog of a destination that has responded, or not, to which these events were offered. */
async function backlogOf(messageIds: readonly string[], isResponsive: boolean) {
  const store = await SqliteStore.open(folderWith(), { clock: new VirtualClock() });
  stores.add(store);
  const share = new MemoryBudget().share({
    onRoom: () => undefined,
    onShortage: () => undefined,
  });
  share.noteAttempt(isResponsive);
  const backlog = new SqliteBacklog(store, 'crm', share);
  // Read to its end, so that what follows is kept in memory.
  backlog.take();
  const routes = messageIds.map(() => ({ destinations: ['crm'], skipped: [] }));
  const taken = store.accept(batchOf(messageIds), routes, (event) => backlog.offer(event));
  store.commit();
  await taken;
  return backlog;
}

const idOf = (event: StoredEvent | undefined) => event?.stamp.messageId;

it.each([
  ['in memory', true],
  ['in the store', false],
])(
  'what is taken as the newest is not taken again after the events before it: %s',
  async (_where, isResponsive) => {
    const backlog = await backlogOf(ids(5), isResponsive);
    expect(idOf(backlog.takeNewest())).toBe('m4');
    // As after an outage: read again from the store.
    backlog.unload();
    const rest = [1, 2, 3, 4, 5].map(() => idOf(backlog.take()));
    expect(rest).toEqual(['m0', 'm1', 'm2', 'm3', undefined]);
  },
);
