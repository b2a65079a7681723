import { expect, it, vi } from 'vitest';
import type { ReadEvent } from '../../../../src/serve/kept/block.js';
import { packBatch } from '../../../../src/serve/store/postgres/codec.js';
import { WaitingEvents } from '../../../../src/serve/store/postgres/waiting-events.js';
import { eventOf } from '../../../../src/serve/store/stored.js';
import { sharedPostgres } from '../../../helpers/postgres.js';
import { serviceStore } from './lane-user.js';

const storeOf = sharedPostgres();

const eventAt = (id: number): ReadEvent => ({
  ...{ id, at: 0, source: 'web', receivedAt: 1, destinations: ['crm'] },
  event: eventOf(Buffer.from('{"type":"track","event":"E","userId":"u"}'), 'web'),
  stamp: { messageId: `m${id}`, writesMessageId: true },
});

const batchOf = (...ids: number[]): Buffer =>
  packBatch(
    ids.map((id) => ({
      ...eventAt(id),
      ...{ queuedAt: 1, dueAt: 1, endpointDeliveries: [], code: 'http_503', message: '' },
    })),
  );

it('retry batches are read in pages, and again only when they have changed', async () => {
  const { store, shared } = await serviceStore(await storeOf());
  const { database, schema } = shared;
  const number = store.parts.names.find('destination', 'crm');
  const insert = (...ids: number[]) =>
    database.query(
      `INSERT INTO ${schema}.retry_batch (destination, queued_at, due_at, size, body) VALUES ($1, 1, 1, $2, $3)`,
      [number, ids.length, batchOf(...ids)],
    );
  for (let id = 0; id < 40; id += 2) await insert(id, 1_000 + id);
  const query = vi.spyOn(database, 'query');
  const read = (): number[] =>
    query.mock.calls
      .filter(([text]) => text.includes('body FROM') && text.includes('retry_batch'))
      .map(([, values]) => (values![0] as number[]).length);
  const waiting = new WaitingEvents(store.parts, 'crm');
  const some = Array.from({ length: 40 }, (_, id) => eventAt(id));
  const among = async (): Promise<number[]> => [...(await waiting.among(some))].map(({ id }) => id);
  const even = some.map(({ id }) => id).filter((id) => id % 2 === 0);
  expect(await among()).toEqual(even);
  expect(read()).toEqual([16, 4]);
  await insert(7);
  await database.query(
    `UPDATE ${schema}.retry_batch SET size = 1, body = $1 WHERE id = (SELECT min(id) FROM ${schema}.retry_batch)`,
    [batchOf(1_000)],
  );
  await database.query(
    `DELETE FROM ${schema}.retry_batch WHERE id = (SELECT min(id) + 1 FROM ${schema}.retry_batch)`,
  );
  expect(await among()).toEqual([...even, 7].filter((id) => id > 2).sort((a, b) => a - b));
  expect(read()).toEqual([16, 4, 2]);
});
