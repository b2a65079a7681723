import { expect, it } from 'vitest';
import {
  returnPrivateStore,
  takePrivateStore,
} from '../../../src/importer/workers/private-stores.js';
import { retryRow } from '../../../src/ledger/retry-row.js';
import { noCounts } from '../../../src/ledger/store.js';
import { eventOf } from '../../helpers/events.js';

it('gives the store of a job that has ended to the next one, empty', async () => {
  const store = await takePrivateStore();
  const other = await takePrivateStore();
  expect(other).not.toBe(store);
  const retry = { endpointDeliveries: [], dueAt: 5 } as never;
  const row = retryRow(1, eventOf(), { messageId: 'm', writesMessageId: false }, retry, {
    ...{ storedAt: 0, file: 0, user: 'u', canReread: false },
  });
  store.commit({
    checkpoint: { last: new Map([[0, { line: 1, offset: 0, length: 2 }]]), open: [[0, 1, 0, 1]] },
    counts: { ...noCounts, delivered: 3 },
    isFinished: true,
    putRetries: [row],
    deleteRetries: [],
    addDeadLetters: [Buffer.from('{}\n')],
  });
  returnPrivateStore(store);
  const next = await takePrivateStore();
  expect(next).toBe(store);
  const { last, open } = next.checkpoint();
  expect([[...last], open, next.counts(), next.isFinished()]).toEqual([[], [], noCounts, false]);
  expect([next.retryCount(), next.lastRetryId(), next.deadLetters()]).toEqual([0, 0, []]);
  other.close();
  store.close();
});
