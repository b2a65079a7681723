import type { ItemExecutionOptions } from '../../src/importer/workers/item-execution.js';
import type { Commit, Job } from '../../src/importer/workers/messages.js';
import { sharedCounts } from '../../src/ledger/histogram.js';
import type { Range } from '../../src/sources/range.js';
import type { Endpoint } from '../../src/webhook/endpoint.js';
import { emptyCheckpoint } from './checkpoint.js';

/** A job of an import with a shared store, which sends the events of a file to one URL. */
export function webhookJob(path: string, endpoint: Endpoint): Job {
  return {
    ...{ files: [path], canReread: [true], checkpoint: emptyCheckpoint, concurrency: 2 },
    settings: {
      ...{ kind: 'webhooks', endpoints: [endpoint], where: 'the plan' },
      ...{ timeoutMs: 5_000, retryWindowMs: 60_000, allUrls: false, ca: [] },
      ignoreIntegrations: false,
    },
    ...{ latency: sharedCounts(), maxUncommitted: 500, selection: {}, rate: undefined },
    stamp: { ids: 'keep', seed: '' },
    ...{ retries: [], retryIds: { last: 0, step: 1 }, urls: [], reportsAttempts: false },
    ...{ isVerbose: false, ownsCheckpoint: true, exportsRetries: true, countsOpen: true },
  };
}

/** Of an execution whose job asks its host for no turns; each probe is allowed. */
export function executionOptions(
  job: Job,
  ranges: AsyncGenerator<Range>,
  onCommit: (commit: Commit) => void,
): ItemExecutionOptions {
  return {
    ...{ job, ranges, onCommit, onNotice: none, onDown: none, onRefused: none },
    lease: () => Promise.reject(new Error('not asked for')),
    ...{ releaseTurns: none, mayProbe: () => Promise.resolve(true) },
  };
}

const none = (): void => undefined;
