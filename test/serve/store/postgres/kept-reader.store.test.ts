import { expect, it } from 'vitest';
import type { ReadKeptOptions } from '../../../../src/serve/kept/kept-events.js';
import { readKeptBlocks } from '../../../../src/serve/store/postgres/kept-reader.js';
import { Names } from '../../../../src/serve/store/postgres/names.js';
import { sharedPostgres } from '../../../helpers/postgres.js';
import { startReceiver } from '../../../helpers/receiver.js';
import { simple, track } from '../../serving.js';
import { sharing } from './sharing.js';

const storeOf = sharedPostgres();
const hourMs = 3_600_000;
const keep = { retentionMs: 24 * hourMs, maxBytes: 1024 ** 3, ofDestinations: new Map() };

/** A block of now, 40 that were stored while the clock was an hour ahead, and another one of now. */
async function setBack() {
  const receiver = await startReceiver();
  const [at] = await sharing(await storeOf(), { ...simple(receiver.url), keep }, 1);
  await at!.send([track(0)]);
  await receiver.atLeast(1);
  const { database: queries, schema } = at!.shared;
  const copy = (count: number, aheadMs: number): Promise<unknown> =>
    queries.query(
      `INSERT INTO ${schema}.event_block
         SELECT nextval('${schema}.block_id'), queued_at + $2, size, destinations, body, kept_ms, kept_for, users
         FROM (SELECT * FROM ${schema}.event_block ORDER BY id LIMIT 1) AS first, generate_series(1, $1)`,
      [count, aheadMs],
    );
  await copy(40, hourMs);
  await copy(1, 0);
  const read = async (options: ReadKeptOptions): Promise<number> => {
    let count = 0;
    const names = new Names(queries, schema);
    for await (const { events } of readKeptBlocks({ queries, schema }, names, options))
      count += events.length;
    return count;
  };
  return { read, copy, now: at!.shared.database.now() };
}

it('kept events are read to the end where the clock was set back', async () => {
  const { read, now } = await setBack();
  // Read in pages of 16: of those ahead, whole pages are passed over.
  expect(await read({ until: now })).toBe(1 + 15 + 1);
  expect(await read({ until: now + hourMs })).toBe(42);
  expect(await read({ until: now - hourMs })).toBe(16);
  expect(await read({ since: now - hourMs })).toBe(42);
  expect(await read({ since: now + hourMs / 2 })).toBe(41);
});

it('kept events are read as of the beginning: what is stored meanwhile does not keep a reading from its end', async () => {
  const receiver = await startReceiver();
  const [at] = await sharing(await storeOf(), { ...simple(receiver.url), keep }, 1);
  await at!.send([track(0)]);
  const { database: queries, schema } = at!.shared;
  const ids: string[] = [];
  for await (const { events } of readKeptBlocks({ queries, schema }, new Names(queries, schema))) {
    ids.push(...events.map(({ stamp }) => stamp.messageId));
    if (ids.length < 3) await at!.send([track(ids.length)]);
  }
  expect(ids).toEqual(['m0']);
});
