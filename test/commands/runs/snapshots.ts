import { planFormat, type Plan } from '../../../src/importer/queue/plan.js';
import { Histogram } from '../../../src/ledger/histogram.js';
import type { RunRecord, RunSnapshot } from '../../../src/importer/queue/run-record.js';

export const plan: Plan = {
  format: planFormat,
  program: '0.1.0',
  files: [{ path: '/data/history.ndjson', size: 10_000, modifiedMs: 1, isGzip: false }],
  target: {
    ...{ kind: 'webhooks', signing: [], body: 'webhook', allUrls: false },
    ...{ timeoutMs: 5_000, retryWindowMs: 1_000, ignoreIntegrations: false },
    ...{ usesCa: false, usesClientCertificate: false },
    endpoints: [{ url: 'http://127.0.0.1:4400/hook', queryCheck: null, headerNames: [] }],
  },
  selection: {},
  ids: 'keep',
  seed: 'seed',
  isOrdered: false,
  rate: null,
  stopAfter: null,
};

export const createdAt = Date.parse('2026-11-22T22:00:00.000Z');

export function recordOf(changes: Partial<RunRecord> = {}): RunRecord {
  return {
    ...{ id: 'history-k3f9c02d', plan, status: 'running', stopReason: null },
    ...{ total: 10, createdAt, endedAt: null },
    ...changes,
  };
}

/** A running run of ten ranges, four of them done. */
export function snapshotOf({
  record,
  ...changes
}: Partial<Omit<RunSnapshot, 'record'>> & { record?: Partial<RunRecord> } = {}): RunSnapshot {
  return {
    record: recordOf(record),
    ranges: { total: 10, done: 4, failed: 0 },
    failedRetries: 0,
    stats: { delivered: 40, bytes: 4_000 },
    latency: new Histogram(),
    statsAtResume: {},
    nextDueAt: Infinity,
    workers: [],
    problems: [],
    ...changes,
  };
}
