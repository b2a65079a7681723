import { statSync } from 'node:fs';
import type { RangeItem } from '../../src/importer/shared/item.js';
import { planFormat, type Plan, type PlannedFile } from '../../src/importer/shared/plan.js';
import { rangesOf } from '../../src/importer/shared/plan-ranges.js';
import type { QueueServer } from '../../src/importer/shared/queue-server.js';
import type { RunRecord } from '../../src/importer/shared/run-record.js';

export interface PlannedRunOptions {
  readonly plan: Plan;
  /** Bytes of a range; default: the ranges that a planner makes, which `verify` expects. */
  readonly rangeBytes?: number;
  readonly name?: string;
}

/** Puts a run into the queue, as `import --queue` does. */
export async function plannedRun(
  server: QueueServer,
  { plan, rangeBytes, name = 'run' }: PlannedRunOptions,
): Promise<RunRecord> {
  const record = await server.join(`${name}-${JSON.stringify(plan)}`, plan, name, false);
  const ranges = rangeBytes === undefined ? new Map(rangesOf(plan)) : rangesIn(plan, rangeBytes);
  await server.addRanges(record.id, ranges);
  await server.endPlanning(record.id, ranges.size);
  return record;
}

/** A plan of these files to one URL, without a secret. */
export function planOf(paths: readonly string[], url: string, changes: Partial<Plan> = {}): Plan {
  return planWith(paths.map(plannedFile), webhookTo([url]), changes);
}

/** A plan of files that need not exist. */
export function planWith(
  files: readonly PlannedFile[],
  target: Plan['target'],
  changes: Partial<Plan> = {},
): Plan {
  return {
    ...{ format: planFormat, program: '0.1.0', files, target },
    selection: {},
    ids: 'keep',
    seed: 'seed',
    isOrdered: false,
    rate: null,
    stopAfter: null,
    ...changes,
  };
}

/** The target of a plan. */
export function webhookTo(
  urls: readonly string[],
  changes: Partial<Extract<Plan['target'], { kind: 'webhooks' }>> = {},
): Extract<Plan['target'], { kind: 'webhooks' }> {
  return {
    kind: 'webhooks',
    endpoints: urls.map((url) => ({ url, queryCheck: null, headerNames: [], headersCheck: null })),
    signing: [],
    body: 'webhook',
    timeoutMs: 5_000,
    retryWindowMs: 60_000,
    allUrls: false,
    ignoreIntegrations: false,
    usesCa: false,
    usesClientCertificate: false,
    ...changes,
  };
}

function plannedFile(path: string): PlannedFile {
  const { size, mtimeMs } = statSync(path);
  return { path, size, modifiedMs: Math.floor(mtimeMs), isWhole: path.endsWith('.gz') };
}

function rangesIn({ files, isOrdered }: Plan, bytes: number): Map<string, RangeItem> {
  const ranges = new Map<string, RangeItem>();
  for (const [file, { size, isWhole }] of files.entries()) {
    const isWhole = isWhole || isOrdered;
    for (let from = 0; from < size; from += isWhole ? size : bytes) {
      ranges.set(`f${file}-${from}`, {
        file,
        from,
        to: isWhole ? null : Math.min(from + bytes, size),
      });
    }
  }
  return ranges;
}
