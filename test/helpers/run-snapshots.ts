import { Histogram } from '../../src/ledger/histogram.js';
import type { RunRecord, RunSnapshot } from '../../src/importer/shared/run-record.js';
import { planWith, webhookTo } from './planned-run.js';

export const plan = planWith(
  [{ path: '/data/history.ndjson', size: 10_000, modifiedMs: 1, isWhole: false }],
  webhookTo(['http://127.0.0.1:4400/hook'], { retryWindowMs: 1_000 }),
);

export const createdAt = Date.parse('2026-11-22T22:00:00.000Z');

export function recordOf(changes: Partial<RunRecord> = {}): RunRecord {
  return {
    ...{ id: 'history-k3f9c02d', plan, status: 'running', stopReason: null },
    ...{ total: 10, createdAt, endedAt: null, publicHash: '' },
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
