import { isDeepStrictEqual } from 'node:util';
import { countRanges, rangeSizeOf } from '../../../importer/queue/plan-ranges.js';
import type { Plan, PlannedFile, PlannedTarget } from '../../../importer/queue/plan.js';
import type { RunSnapshot } from '../../../importer/queue/run-record.js';
import { countOf } from '../../../output/numbers.js';
import { printable } from '../../../output/printable.js';
import type { Scheme } from '../../../sign/schemes/scheme.js';
import type { TypedFlag } from '../../shared/typed-flags.js';
import { queueVariable, workerCommand } from '../next-command.js';
import type { JoinedRun } from './joined-run.js';

/** What was made or found. */
export function announcementOf(
  { isNew, record, snapshot }: JoinedRun,
  typed: readonly TypedFlag[],
): string {
  const { id, status, stopReason } = record;
  if (isNew && countRanges(record.plan) === 0) return `run ${id}: the files are empty`;
  if (isNew) {
    return `run ${id}: ${rangesText(record.plan)}; start workers with: ${workerCommand(typed)}${queueVariable(typed)}`;
  }
  if (status === 'finished') return `joined run ${id}, which has finished`;
  if (status === 'cancelled') return `joined run ${id}, which was cancelled`;
  if (stopReason !== null) return `resumed run ${id}, which had stopped: ${printable(stopReason)}`;
  return `joined run ${id}: ${percentDone(snapshot)}% done`;
}

/** Of the ranges; a run that goes on is never done, as events wait for retries. */
function percentDone({ ranges: { total, done, failed } }: RunSnapshot): number {
  return total === 0 ? 0 : Math.min(99, Math.floor(((done + failed) / total) * 100));
}

/** `1,234 ranges of 8 MiB`; files that cannot be cut are not of that size. */
function rangesText(plan: Plan): string {
  const ranges = countOf(countRanges(plan), 'range');
  const isCut = !plan.isOrdered && plan.files.some(({ isGzip }) => !isGzip);
  return isCut ? `${ranges} of ${rangeSizeOf(plan) / 2 ** 20} MiB` : ranges;
}

/** What this call wants in another way than the run was planned, which counts. */
export function differencesOf(run: Plan, own: Plan, id: string): string[] {
  const lines = changedFiles(run.files, own.files).map(
    (path) => `${printable(path)}: has changed since run ${id} was planned; its ranges will fail`,
  );
  const flags = differentFlags(run, own);
  if (flags.length > 0) {
    lines.push(
      `${flags.join(', ')}: run ${id} keeps what it was planned with; --fresh makes a new run`,
    );
  }
  return lines;
}

/** More are not of interest. */
const namedFiles = 3;

function changedFiles(planned: readonly PlannedFile[], now: readonly PlannedFile[]): string[] {
  const changed = planned.filter((file, i) => !isDeepStrictEqual(file, now[i]));
  return changed.slice(0, namedFiles).map(({ path }) => path);
}

/** The first way to sign, or the second one. */
function schemeOf(target: PlannedTarget, index: number): Scheme | undefined {
  return target.kind === 'webhooks' ? target.signing[index]?.scheme : undefined;
}

function differentFlags(run: Plan, own: Plan): string[] {
  const headers = ({ target }: Plan): unknown =>
    target.kind === 'webhooks' && target.endpoints.map(({ headerNames }) => headerNames);
  const values: Readonly<Record<string, (plan: Plan) => unknown>> = {
    '--rate': ({ rate }) => rate,
    '--stop-after': ({ stopAfter }) => stopAfter,
    '--timeout': ({ target }) => target.timeoutMs,
    '--retry-window': ({ target }) => target.retryWindowMs,
    '--scheme': ({ target }) => schemeOf(target, 0),
    '--also-scheme': ({ target }) => schemeOf(target, 1),
    '--header': headers,
    '--ca': ({ target }) => target.usesCa,
    '--cert': ({ target }) => target.usesClientCertificate,
  };
  return Object.keys(values).filter((flag) => {
    const valueOf = values[flag]!;
    return !isDeepStrictEqual(valueOf(run), valueOf(own));
  });
}
