import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RunWorker } from '../../../../src/importer/shared/worker/run-worker.js';
import type { Endpoint } from '../../../../src/webhook/endpoint.js';
import { afterEachTest } from '../../../helpers/after-each.js';
import { folderWith } from '../../../helpers/folder.js';
import { inProcess } from '../../../helpers/in-process.js';
import { noSources } from '../../../helpers/item-context.js';
import { sharedPostgres, type TestStore } from '../../../helpers/postgres.js';
import { testRuns } from '../../../helpers/runs.js';
import { startApi, startTokenServer } from '../../../helpers/token-server.js';

const postgres = sharedPostgres();

const closers: (() => unknown)[] = [];
afterEachTest(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const none = (): void => undefined;

/** A worker with a profile that has this endpoint; returns what ends it. */
async function startWorker(place: TestStore, endpoint: Endpoint): Promise<() => Promise<unknown>> {
  const { runs } = await testRuns(place);
  const controller = new AbortController();
  const worker = new RunWorker({
    ...{ server: runs, id: 'w', roots: [], rangesFor: () => 2, concurrency: 4 },
    ...{ log: undefined, signal: controller.signal },
    own: {
      ...{ secrets: [], headers: [], endpoints: [endpoint], writeKey: undefined },
      ...{ ca: [], clientCertificate: undefined, sources: noSources },
    },
    aheadMs: () => runs.now() - Date.now(),
    threadsFor: () => 0,
    listener: {
      ...{ joined: none, refused: none, url: none, held: none, failed: none, range: none },
      left: none,
    },
  });
  const ended = worker.run();
  const end = (): Promise<unknown> => {
    controller.abort();
    return ended;
  };
  closers.push(end);
  return end;
}

it('a worker stops its run when credentials are refused in the middle, to be resumed', async () => {
  const place = await postgres();
  let isRefused = true;
  const tokens = await startTokenServer((call) =>
    call > 1 && isRefused
      ? { status: 401, body: { error: 'invalid_client' } }
      : { body: { access_token: isRefused ? 'first' : 'last' } },
  );
  const accepted: unknown[] = [];
  const api = await startApi((token) => {
    const isAccepted = token === 'last' || accepted.length < 50;
    if (isAccepted) accepted.push(api.json().at(-1)!.messageId);
    return isAccepted;
  });
  closers.push(() => api.close());
  const lines = Array.from({ length: 300 }, (_, n) =>
    JSON.stringify({ type: 'track', event: 'E', userId: 'u', messageId: `m${n}` }),
  );
  const cwd = folderWith({ 'h.ndjson': `${lines.join('\n')}\n` });
  const config = join(cwd, 'evfwd.config.yaml');
  const endpointWith = (clientSecret: string): Endpoint => ({
    url: api.url,
    auth: { oauth2: { tokenUrl: tokens.url, clientId: 'app', clientSecret } },
  });
  const configure = (clientSecret: string): void =>
    writeFileSync(
      config,
      `profiles: { p: { webhooks: { endpoints: ${JSON.stringify([endpointWith(clientSecret)])} } } }`,
    );
  configure('hunter2');
  const run = () =>
    inProcess([
      ...['import', join(cwd, 'h.ndjson'), '--config', config, '--profile', 'p', '--json'],
      ...['--store', place.url, '--store-schema', place.schema],
    ]);
  const endFirst = await startWorker(place, endpointWith('hunter2'));
  const stopped = await run();
  expect(stopped.code, stopped.stderr).toBe(3);
  expect(stopped.stderr).toContain(
    `stopped: the plan: auth.oauth2 of ${api.url}: the token endpoint ${tokens.url} refuses clientId or clientSecret (invalid_client); check them; the rest is pending`,
  );
  expect(stopped.stderr).not.toContain('--stop-after');
  expect(JSON.parse(stopped.stdout.trim().split('\n').at(-1)!)).toMatchObject({
    ...{ delivered: 50, failed: 0 },
  });
  await endFirst();
  isRefused = false;
  configure('corrected');
  await startWorker(place, endpointWith('corrected'));
  const resumed = await run();
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(accepted).toHaveLength(300);
  expect(new Set(accepted).size).toBe(300);
});
