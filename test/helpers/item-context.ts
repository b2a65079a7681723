import type { RunStore } from '../../src/importer/shared/run-store.js';
import type { RunRecord } from '../../src/importer/shared/run-record.js';
import type { ItemContext } from '../../src/importer/shared/worker/item-context.js';
import { ExecutionPool } from '../../src/importer/workers/execution-pool.js';

/** What the items of a run have in common, with executions in this thread. */
export function itemContext(
  server: RunStore,
  record: Pick<RunRecord, 'plan'> & Partial<RunRecord>,
  urls: readonly string[],
  changes: Partial<ItemContext> = {},
): ItemContext {
  const pool = new ExecutionPool(0);
  return {
    ...{ server, urls, roots: [], concurrency: 4, connections: 'all', rangeBytes: 65_536 },
    ...{ log: undefined, changes: undefined, aheadMs: () => 0 },
    record: {
      ...{ id: 'run', status: 'running', stopReason: null, total: 1, createdAt: 0, endedAt: null },
      publicHash: '',
      ...record,
    },
    settings: {
      ...{ kind: 'webhooks', where: 'the plan', timeoutMs: 5_000, retryWindowMs: 86_400_000 },
      ...{ endpoints: urls.map((url) => ({ url })), allUrls: false, ca: [] },
      ignoreIntegrations: false,
    },
    start: (options) => pool.start(options),
    onNotice: () => undefined,
    notices: () => [],
    hold: { isHeld: false, added: () => undefined },
    ...changes,
  };
}
