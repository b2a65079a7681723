import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findInputs } from '../../../src/sources/find-inputs.js';
import { readPart } from '../../../src/sources/part.js';
import type { Range } from '../../../src/sources/range.js';
import { ExecutionPool } from '../../../src/importer/workers/execution-pool.js';
import { sharedCounts } from '../../../src/ledger/histogram.js';
import { emptyCheckpoint } from '../../helpers/checkpoint.js';
import { folderWith } from '../../helpers/folder.js';
import { event } from '../../helpers/process.js';
import { receiverOfEachTest } from '../../helpers/witnessed-receiver.js';

const at = receiverOfEachTest();

it('sends what was read of a file before it cannot be read on', async () => {
  const padding = `,"context":{"pad":"${'x'.repeat(1_000)}"}`;
  const count = 900;
  const text = Array.from({ length: count }, (_, n) => `${event(n, padding)}\n`).join('');
  const path = join(folderWith({ events: text }), 'events');
  async function* broken(): AsyncGenerator<Range> {
    const [input] = await findInputs([path]);
    yield* readPart(input!, { from: 0, to: statSync(path).size });
    throw new Error('cannot read on');
  }
  const execution = new ExecutionPool(0).start({
    job: {
      ...{ files: [path], canReread: [true], checkpoint: emptyCheckpoint, concurrency: 2 },
      settings: {
        ...{ kind: 'webhooks', endpoints: [{ url: at.receiver.url }], where: 'the plan' },
        ...{ timeoutMs: 5_000, retryWindowMs: 60_000, allUrls: false, ca: [] },
        ignoreIntegrations: false,
      },
      ...{ latency: sharedCounts(), maxUncommitted: 500, selection: {}, rate: undefined },
      stamp: { ids: 'keep', seed: '' },
      ...{ retries: [], retryIds: { last: 0, step: 1 }, urls: [], reportsAttempts: false },
      ...{ isVerbose: false, ownsCheckpoint: true, exportsRetries: true, countsOpen: true },
    },
    ranges: broken(),
    onCommit: ({ snapshot }) => execution.durable(snapshot.rows),
    onNotice: () => undefined,
    onDown: () => undefined,
    onRefused: () => undefined,
    lease: () => Promise.reject(new Error('not asked for')),
    leaseOf: () => Promise.reject(new Error('not asked for')),
    returnTurns: () => Promise.resolve(),
    mayProbe: () => Promise.resolve(true),
  });
  await expect(execution.ended).rejects.toThrow('cannot read on');
  expect(at.witness.missing(count)).toEqual([]);
});
