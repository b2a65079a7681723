import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SqliteStore } from '../../../src/serve/store/sqlite/sqlite-store.js';
import { openDatabase } from '../../../src/storage/sqlite.js';
import { startRawServer } from '../../helpers/raw-server.js';
import { folderWith } from '../../helpers/folder.js';
import { batchOf } from '../batches.js';
import { serving, simple, until } from '../serving.js';

/** A state with three blocks of two events. */
async function stateWithBlocks(): Promise<string> {
  const stateDir = folderWith();
  const store = await SqliteStore.open(stateDir);
  const route = { destinations: ['crm'], skipped: [] };
  for (const ids of [
    ['m0', 'm1'],
    ['m2', 'm3'],
    ['m4', 'm5'],
  ]) {
    const taken = store.accept(batchOf(ids), [route, route], () => undefined);
    store.commit();
    await taken;
  }
  store.close();
  return stateDir;
}

it('blocks that cannot be read are in health, overview and metrics, and in one line of the log', async () => {
  const server = await startRawServer();
  const stateDir = await stateWithBlocks();
  const database = await openDatabase(join(stateDir, 'serve.db'));
  database.exec('UPDATE event_block SET bytes = zeroblob(9) WHERE last_id < 5');
  database.close();
  for (const start of ['first', 'second']) {
    const { url, api, logged, stop } = await serving(simple(server.url), { stateDir });
    const health = async () => (await fetch(`${url}/_evfwd/health`)).json() as Promise<object>;
    await until(health, (body) => 'damagedBlocks' in body);
    expect(await health()).toEqual({ status: 'ok', damagedBlocks: 2, damagedEvents: 4 });
    const overview = await api('overview');
    expect(overview).toMatchObject({ damagedBlocks: 2, damagedEvents: 4, stateError: null });
    const metrics = await (await fetch(`${url}/_evfwd/metrics`)).text();
    expect(metrics.split('\n')).toContain('evfwd_damaged_blocks_total 2');
    await stop();
    const errors = logged.filter((line) => line.startsWith('error'));
    expect(errors).toEqual(
      start === 'first'
        ? [expect.stringMatching(/cannot be read: .* {"destination":"crm","events":4}$/)]
        : [],
    );
  }
  expect(server.requests).toHaveLength(2);
});

it('of a state without damage, health says no more than before', async () => {
  const { url } = await serving(simple('http://127.0.0.1:1/'));
  expect(await (await fetch(`${url}/_evfwd/health`)).json()).toEqual({ status: 'ok' });
  const metrics = await (await fetch(`${url}/_evfwd/metrics`)).text();
  expect(metrics.split('\n')).toContain('evfwd_damaged_blocks_total 0');
});
