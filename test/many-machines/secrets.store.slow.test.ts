import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { findPostgres } from '../helpers/find-postgres.js';
import { behindProxy, startProxy } from '../helpers/proxy.js';
import { isRefused, openScene, troubled, type Scene } from './scene.js';
import { loggedText, storedText } from './stored-text.js';
import { expectComplete } from './verdict.js';

/** Not in any form, in what the server holds, in what it has logged, and in what was printed. */
async function expectNowhere({ fleet, server }: Scene, run: string, secrets: readonly string[]) {
  const printed = await Promise.all([
    fleet.run(['runs', 'list']),
    fleet.run(['runs', 'show', run]),
    fleet.run(['runs', 'show', run, '--json']),
    fleet.run(['runs', 'dead-letters', run]),
  ]);
  const ends = await fleet.stopWorkers();
  const texts = {
    stored: await storedText(server),
    logged: loggedText(server),
    printed: [...printed, ...ends].map(({ stdout, stderr }) => stdout + stderr).join('\n'),
  };
  expect(texts.stored).toContain(run);
  expect(texts.logged).toContain(run);
  expect(texts.printed).toContain(run);
  for (const [place, text] of Object.entries(texts)) {
    for (const form of secrets.flatMap(formsOf)) {
      expect(text.includes(form), `${place} has ${form}`).toBe(false);
    }
  }
}

/** Itself, encoded, and the beginning of its hash: a check value has no more than four digits. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const hash = createHash('sha256').update(bytes).digest();
  return [
    secret,
    bytes.toString('base64'),
    Buffer.from(`${secret}:`).toString('base64'),
    bytes.toString('hex'),
    hash.toString('hex').slice(0, 6),
    hash.toString('base64').slice(0, 6),
  ];
}

describe.skipIf(findPostgres() === undefined)('secrets', () => {
  it('keeps the shared secret, header values and queries out of the store', async () => {
    const secret = 'shared-secret-4b1d';
    const header = 'Bearer header-value-9c2e';
    const query = 'token=query-value-77aa';
    const scene = await openScene({
      files: 3,
      perFile: 1_000,
      rules: troubled,
      env: { EVFWD_SECRET: secret },
    });
    const { cwd, files, fleet, receiver } = scene;
    const own = ['--header', `Authorization: ${header}`, '--url', `${receiver.url}?${query}`];
    const planner = fleet.plan([...files.names, ...own]);
    await fleet.startWorkers(2, own);
    const result = await planner.ended;
    await expectComplete(result, cwd, receiver, { files, isRefused, maxRepeats: 0 });
    const [run] = await fleet.runIds();
    expect(`${result.stdout}${result.stderr}`).not.toMatch(/4b1d|9c2e|77aa/);
    await expectNowhere(scene, run!, [secret, header, query, 'query-value-77aa']);
  });

  it('keeps the write key out of the store', async () => {
    const writeKey = 'write-key-31f0';
    const scene = await openScene({
      files: 3,
      perFile: 1_000,
      rules: [{ status: 503, times: 2 }],
      env: { EVFWD_WRITE_KEY: writeKey },
    });
    const { cwd, files, fleet, receiver } = scene;
    const planner = fleet.plan([...files.names, '--endpoint', receiver.url]);
    await fleet.startWorkers(2);
    const result = await planner.ended;
    await expectComplete(result, cwd, receiver, { files, maxRepeats: 0 });
    const [run] = await fleet.runIds();
    await expectNowhere(scene, run!, [writeKey]);
  });

  it('keeps proxies out of the store; each worker brings its own', async () => {
    const scene = await openScene({ files: 3, perFile: 1_000, rules: troubled });
    const { cwd, files, fleet, receiver } = scene;
    const [ofPlanner, ofWorkers] = [await startProxy(), await startProxy()];
    const password = 'proxy-password-52ce';
    const behind = (proxy: string) => ['--proxy', proxy.replace('//', `//user:${password}@`)];
    const target = ['--url', behindProxy(receiver.url)];
    const planner = fleet.plan([...files.names, ...target, ...behind(ofPlanner.url)]);
    await fleet.startWorkers(2, behind(ofWorkers.url));
    const result = await planner.ended;
    await expectComplete(result, cwd, receiver, { files, isRefused, maxRepeats: 0 });
    expect(ofWorkers.requests.length).toBeGreaterThan(0);
    expect(ofPlanner.requests).toEqual([]);
    const [run] = await fleet.runIds();
    const port = new URL(ofPlanner.url).port;
    await expectNowhere(scene, run!, [password, `user:${password}`, `127.0.0.1:${port}`]);
  });
});
