import { isDeepStrictEqual } from 'node:util';
import { countRanges, rangeSizeOf } from '../../../importer/shared/plan-ranges.js';
import type { Plan, PlannedTarget } from '../../../importer/shared/plan.js';
import {
  isOpen,
  type RunHead,
  type RunRecord,
  type RunSnapshot,
} from '../../../importer/shared/run-record.js';
import { shareDone, shareText } from '../../../importer/shared/share-done.js';
import { countOf } from '../../../output/numbers.js';
import { printable } from '../../../output/printable.js';
import type { Scheme } from '../../../sign/schemes/scheme.js';
import type { TypedFlag } from '../../flags/flag.js';
import { storeCommand, storeVariable, workerCommand } from '../../flags/next-command.js';

/** A run as it was found or made. */
interface AnnouncedRun {
  readonly isNew: boolean;
  readonly record: RunRecord;
  readonly snapshot: RunSnapshot;
}

/** What was made or found. */
export function announcementOf(
  { isNew, record, snapshot }: AnnouncedRun,
  typed: readonly TypedFlag[],
): string {
  const { id, status, stopReason } = record;
  if (isNew && countRanges(record.plan) === 0) return `run ${id}: the files are empty`;
  if (isNew) {
    return `run ${id}: ${rangesText(record.plan)}; start workers with: ${workerCommand(typed)}${storeVariable(typed)}`;
  }
  if (status === 'finished') return `joined run ${id}, which has finished`;
  if (status === 'cancelled') return `joined run ${id}, which was cancelled`;
  if (stopReason !== null) return `resumed run ${id}, which had stopped: ${printable(stopReason)}`;
  return `joined run ${id}: ${shareText(shareDone(snapshot))} done`;
}

/** `1,234 parts of 8 MiB`; files that cannot be cut are not of that size. */
function rangesText(plan: Plan): string {
  const parts = countOf(countRanges(plan), 'part');
  const isCut =
    !plan.isOrdered && plan.files.some(({ isWhole, rowGroups }) => !isWhole && !rowGroups);
  return isCut ? `${parts} of ${rangeSizeOf(plan) / 2 ** 20} MiB` : parts;
}

/** What this call wants in another way than the run was planned, which counts. */
export function differencesOf(run: Plan, own: Plan, id: string): string[] {
  const flags = differentFlags(run, own);
  if (flags.length === 0) return [];
  return [`${flags.join(', ')}: run ${id} keeps what it was planned with; --fresh makes a new run`];
}

/** A line for each open run that differs from a new one only in queries, secrets, write key or header values. */
export function otherRuns(
  runs: readonly RunHead[],
  { id, publicHash }: RunHead,
  typed: readonly TypedFlag[],
): string[] {
  return runs
    .filter((run) => run.id !== id && isOpen(run) && run.publicHash === publicHash)
    .map(
      (run) =>
        `run ${run.id} sends the same files to the same URLs, with another query, secret, write key or header value, and has not ended; to end it: ${storeCommand(`evfwd runs cancel ${run.id}`, typed)}${storeVariable(typed)}`,
    );
}

/** The first way to sign, or the second one. */
function schemeOf(target: PlannedTarget, index: number): Scheme | undefined {
  return target.kind === 'webhooks' ? target.signing[index]?.scheme : undefined;
}

function differentFlags(run: Plan, own: Plan): string[] {
  const values: Readonly<Record<string, (plan: Plan) => unknown>> = {
    '--rate': ({ rate }) => rate,
    '--stop-after': ({ stopAfter }) => stopAfter,
    '--timeout': ({ target }) => target.timeoutMs,
    '--retry-window': ({ target }) => target.retryWindowMs,
    '--scheme': ({ target }) => schemeOf(target, 0),
    '--also-scheme': ({ target }) => schemeOf(target, 1),
    '--ca': ({ target }) => target.usesCa,
    '--cert': ({ target }) => target.usesClientCertificate,
    '--proxy': ({ target }) => target.usesProxy,
    'the settings of endpoints': ({ target }) =>
      target.kind === 'webhooks' && target.endpoints.map(({ settings }) => settings),
  };
  return Object.keys(values).filter((flag) => {
    const valueOf = values[flag]!;
    return !isDeepStrictEqual(valueOf(run), valueOf(own));
  });
}
