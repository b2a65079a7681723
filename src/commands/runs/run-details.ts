import { planFormat, type Plan, type PlannedTarget } from '../../importer/shared/plan.js';
import type { RunStore } from '../../importer/shared/run-store.js';
import type { RunSnapshot } from '../../importer/shared/run-record.js';
import type { RunSummary } from '../../importer/shared/run-summary.js';

/** What `runs show` is made of. */
export interface RunDetails {
  readonly snapshot: RunSnapshot;
  readonly summary: RunSummary;
  /** What workers have found out about the URLs, as far as it still holds. */
  readonly notices: Awaited<ReturnType<RunStore['notices']>>;
  /** Milliseconds since 1970 by the clock of the server. */
  readonly now: number;
}

/** Whether this version knows what is in the plan; another version may have made the run. */
export function isReadable({ format }: Plan): boolean {
  return format === planFormat;
}

/** The URLs of the target, without their queries. */
export function urlsOf({ target }: Plan): string[] {
  return target.kind === 'collector' ? [target.endpoint] : target.endpoints.map(({ url }) => url);
}

/** The same snapshot, with a target that the summary can read where the plan is not readable. */
export function withKnownTarget(snapshot: RunSnapshot): RunSnapshot {
  const { record } = snapshot;
  if (isReadable(record.plan)) return snapshot;
  return { ...snapshot, record: { ...record, plan: { ...record.plan, target: unknownTarget } } };
}

const unknownTarget: PlannedTarget = {
  ...{ kind: 'collector', endpoint: '', queryCheck: null, writeKeyCheck: '' },
  ...{ timeoutMs: 0, retryWindowMs: 0, allUrls: false, ignoreIntegrations: false },
  ...{ usesCa: false, usesClientCertificate: false, usesProxy: false },
};
