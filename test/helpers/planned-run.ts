import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { planFormat, type Plan, type PlannedFile } from '../../src/importer/shared/plan.js';
import type { RunStore } from '../../src/importer/shared/run-store.js';
import type { RunRecord } from '../../src/importer/shared/run-record.js';

/** Makes a run, as `import --store` does. */
export function plannedRun(
  runs: RunStore,
  { plan, pieceBytes, name = 'run' }: PlannedRunOptions,
): Promise<RunRecord> {
  const made = pieceBytes === undefined ? plan : inPieces(plan, pieceBytes);
  return runs.plan(`${name}-${JSON.stringify(plan)}`, made, name, false);
}

export interface PlannedRunOptions {
  readonly plan: Plan;
  /** Cuts the files into smaller ones, as those of a test are no parts of 8 MiB. */
  readonly pieceBytes?: number;
  readonly name?: string;
}

function inPieces(plan: Plan, bytes: number): Plan {
  const files = plan.files.flatMap(({ path }) => {
    const pieces = [''];
    for (const line of readFileSync(path, 'utf8').split(/(?<=\n)/)) {
      if (pieces.at(-1)!.length >= bytes) pieces.push('');
      pieces.push(pieces.pop()! + line);
    }
    return pieces.map((text, n) => {
      writeFileSync(`${path}.${n}`, text);
      return plannedFile(`${path}.${n}`);
    });
  });
  return { ...plan, files };
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
    ...{ format: planFormat, program: '0.1.0', files, sources: null, target },
    selection: {},
    changes: null,
    deadLettersChanged: false,
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
    endpoints: urls.map((url) => ({
      url,
      queryCheck: null,
      headerNames: [],
      headersCheck: null,
      settings: {},
      usesAuth: false,
    })),
    signing: [],
    body: 'webhook',
    timeoutMs: 5_000,
    retryWindowMs: 60_000,
    allUrls: false,
    ignoreIntegrations: false,
    usesCa: false,
    usesClientCertificate: false,
    usesProxy: false,
    ...changes,
  };
}

function plannedFile(path: string): PlannedFile {
  const { size, mtimeMs } = statSync(path);
  return { path, size, modifiedMs: Math.floor(mtimeMs), isWhole: path.endsWith('.gz') };
}
