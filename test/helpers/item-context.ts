import type { RunStore } from '../../src/importer/shared/run-store.js';
import type { RunRecord } from '../../src/importer/shared/run-record.js';
import type { ItemContext } from '../../src/importer/shared/worker/item-context.js';
import type { OwnSources } from '../../src/importer/shared/worker/complete-sources.js';
import { systemClock } from '../../src/clock.js';
import { RunTurns } from '../../src/importer/shared/worker/run-turns.js';
import { ExecutionPool } from '../../src/importer/workers/execution-pool.js';

/** What the items of a run have in common, with executions in this thread. */
export function itemContext(
  server: RunStore,
  record: Pick<RunRecord, 'plan'> & Partial<RunRecord>,
  urls: readonly string[],
  changes: Partial<ItemContext> = {},
): ItemContext {
  const pool = new ExecutionPool(0);
  const whole: RunRecord = {
    ...{ id: 'run', status: 'running', stopReason: null, total: 1, createdAt: 0, endedAt: null },
    publicHash: '',
    ...record,
  };
  const settings: ItemContext['settings'] = {
    ...{ kind: 'webhooks', where: 'the plan', timeoutMs: 5_000, retryWindowMs: 86_400_000 },
    ...{ endpoints: urls.map((url) => ({ url })), allUrls: false, ca: [] },
    ignoreIntegrations: false,
  };
  return {
    ...{ server, urls, concurrency: 4, group: 'all', rangeBytes: 65_536 },
    files: { roots: [], openRemote: noRemote },
    ...{ log: undefined, changes: undefined, aheadMs: () => 0 },
    ...{ record: whole, settings, turns: new RunTurns(server, whole, settings) },
    start: (options) => pool.start(options),
    onNotice: () => undefined,
    onRefused: () => undefined,
    notices: () => [],
    hold: { isHeld: false, added: () => undefined },
    ...changes,
  };
}

/** For plans without URLs. */
export function noRemote(): Promise<never> {
  return Promise.reject(new Error('no URLs here'));
}

/** A worker that has nothing of its own for sources behind URLs. */
export const noSources: OwnSources = {
  ...{
    urls: [],
    headers: [],
    ca: undefined,
    s3Endpoint: undefined,
    s3Region: undefined,
    proxyOf: undefined,
  },
  ...{ env: {}, home: '/', clock: systemClock, fetch },
  readFile: () => Promise.reject(Object.assign(new Error('no such file'), { code: 'ENOENT' })),
};
