import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.js';
import { findInputs } from '../../../src/sources/find-inputs.js';
import { readPart } from '../../../src/sources/part.js';
import type { Range } from '../../../src/sources/range.js';
import { ExecutionPool } from '../../../src/importer/workers/execution-pool.js';
import type { ItemExecution } from '../../../src/importer/workers/item-execution.js';
import type { Endpoint } from '../../../src/webhook/endpoint.js';
import { fetchTokens } from '../../../src/webhook/tokens.js';
import { folderWith } from '../../helpers/folder.js';
import { event } from '../../helpers/process.js';
import { startApi, startTokenServer } from '../../helpers/token-server.js';
import { executionOptions, webhookJob } from '../../helpers/webhook-job.js';
import { receiverOfEachTest } from '../../helpers/witnessed-receiver.js';

const at = receiverOfEachTest();

/** An execution in a pool, `most` as of `ExecutionPool.start`. */
function start(
  pool: ExecutionPool,
  endpoint: Endpoint,
  { path, ranges, most }: { path: string; ranges: AsyncGenerator<Range>; most?: number },
): ItemExecution {
  const execution = pool.start(
    executionOptions(webhookJob(path, endpoint), ranges, ({ snapshot }) =>
      execution.durable(snapshot.rows),
    ),
    most,
  );
  return execution;
}

async function* rangesOf(path: string): AsyncGenerator<Range> {
  const [input] = await findInputs([path]);
  yield* readPart(input!, { from: 0, to: statSync(path).size });
}

it('sends what was read of a file before it cannot be read on', async () => {
  const padding = `,"context":{"pad":"${'x'.repeat(1_000)}"}`;
  const count = 900;
  const text = Array.from({ length: count }, (_, n) => `${event(n, padding)}\n`).join('');
  const path = join(folderWith({ events: text }), 'events');
  async function* broken(): AsyncGenerator<Range> {
    yield* rangesOf(path);
    throw new Error('cannot read on');
  }
  const endpoint = { url: at.receiver.url };
  const execution = start(new ExecutionPool(0), endpoint, { path, ranges: broken() });
  await expect(execution.ended).rejects.toThrow('cannot read on');
  expect(at.witness.missing(count)).toEqual([]);
});

it('executes a run with tokens in the thread that has fetched one, beside its threads', async () => {
  const tokens = await startTokenServer();
  const api = await startApi((token) => token === 'token-1');
  const oauth2 = { tokenUrl: tokens.url, clientId: 'app', clientSecret: 's' };
  const endpoint = { url: api.url, auth: { oauth2 } };
  await fetchTokens([endpoint], { ca: [], clock: systemClock });
  const path = join(folderWith({ events: `${event(1)}\n` }), 'events');
  const pool = new ExecutionPool(2);
  const execution = start(pool, endpoint, { path, ranges: rangesOf(path), most: 0 });
  expect(await execution.ended).toMatchObject({ hasReadAll: true });
  expect(tokens.requests).toHaveLength(1);
  expect(api.requests).toHaveLength(1);
  await pool.close();
  await api.close();
});
