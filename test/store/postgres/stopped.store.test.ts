import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { sharedPostgres } from '../../helpers/postgres.js';
import { putJobs, testStore } from '../../helpers/shared-store.js';
import { transpiled } from '../../helpers/transpiled.js';

const postgres = sharedPostgres();
const waiting = { timeout: 40_000 };

const holder = `import { openStore } from './store/postgres/open.js';
const [url, schema] = process.argv.slice(2);
const ignore = () => undefined;
const store = await openStore({ url, schema, onOutage: ignore, onRecovered: ignore, onWarning: ignore });
const [job] = await store.jobs.fetch('q');
job.lost.addEventListener('abort', async () => {
  const at = Date.now();
  const removed = await store.database.transaction((tx) => store.jobs.remove(tx, 'q', [job]));
  process.send({ lostAt: at, removed: removed.length });
});
process.send('taken');
process.on('message', () => store.close().then(() => process.exit(0)));
`;

/** Starts a process that takes the job of the queue `q`. */
async function startHolder(url: string, schema: string) {
  const source = fileURLToPath(new URL('../../../src/', import.meta.url));
  const store = readdirSync(join(source, 'store'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `store/${file.slice(0, -3)}`);
  const main = join(dirname(fileURLToPath(transpiled('errors', 'clock', ...store))), 'holder.js');
  writeFileSync(main, holder);
  const child = fork(main, [url, schema]);
  await once(child, 'message');
  return child;
}

it('a process that is stopped loses its job, and knows it within a second of waking', async () => {
  const { url, schema } = await postgres();
  const { jobs, database } = (await testStore({ url, schema })).store;
  await jobs.createQueue('q');
  await putJobs({ jobs, database }, 'q', [{ data: {} }]);
  const child = await startHolder(url, schema);
  child.kill('SIGSTOP');
  const stoppedAt = Date.now();
  await expect.poll(() => jobs.fetch('q'), waiting).toMatchObject([{ attempt: 1 }]);
  expect(Date.now() - stoppedAt).toBeGreaterThan(6_000);
  expect(Date.now() - stoppedAt).toBeLessThan(20_000);
  const said = once(child, 'message');
  const wokenAt = Date.now();
  child.kill('SIGCONT');
  const [{ lostAt, removed }] = (await said) as [{ lostAt: number; removed: number }];
  expect(lostAt - wokenAt).toBeLessThan(1_000);
  expect(removed).toBe(0);
  child.send('end');
  await once(child, 'exit');
});

it('a process that is killed is replaced', async () => {
  const { url, schema } = await postgres();
  const { jobs, database } = (await testStore({ url, schema })).store;
  await jobs.createQueue('q');
  await putJobs({ jobs, database }, 'q', [{ data: {} }]);
  const child = await startHolder(url, schema);
  child.kill('SIGKILL');
  await expect.poll(() => jobs.fetch('q'), waiting).toMatchObject([{ attempt: 1 }]);
});
