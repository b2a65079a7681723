import { expect, it } from 'vitest';
import type { ReplayRow } from '../../../../src/api/serve.js';
import { sharedPostgres } from '../../../helpers/postgres.js';
import { startReceiver } from '../../../helpers/receiver.js';
import { json, simple, track, until } from '../../serving.js';
import { rowsOf, sharing } from './sharing.js';

const storeOf = sharedPostgres();
const keep = { retentionMs: 86_400_000, maxBytes: 1024 ** 3, ofDestinations: new Map() };
const count = 10_000;

it('a replay of thousands of events a second finishes', { timeout: 120_000 }, async () => {
  const receiver = await startReceiver();
  const [at] = await sharing(await storeOf(), { ...simple(receiver.url), keep }, 1);
  for (let sent = 0; sent < count; sent += 250)
    await at!.send(Array.from({ length: 250 }, (_, n) => track(sent + n)));
  await until(
    () => rowsOf(at!, 'queued_block'),
    (rows) => rows.length === 0,
  );
  const { id } = (await at!.api('replays', json('POST', { destination: 'crm' }))) as ReplayRow;
  const row = await until(
    async () => {
      const { replays } = (await at!.api('replays')) as { replays: ReplayRow[] };
      return replays.find((one) => one.id === id)!;
    },
    ({ state }) => state !== 'running',
  );
  expect(row).toMatchObject({ state: 'finished', sent: count, message: null });
  await receiver.close();
});
