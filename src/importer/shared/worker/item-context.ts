import type { TargetSettings } from '../../../config/open-target.js';
import type { EndpointNotice } from '../../../delivery/endpoint-notice.js';
import { sharedCounts } from '../../../ledger/histogram.js';
import type { AttemptLog } from '../../../ledger/attempt-log.js';
import type { ItemExecution, ItemExecutionOptions } from '../../workers/item-execution.js';
import type { Commit, Job, QueueNotice } from '../../workers/messages.js';
import type { RecordChanges } from '../../../steps/changes.js';
import type { ItemProgress } from '../item.js';
import type { PlannedFile } from '../plan.js';
import { nameOf } from '../planned-input.js';
import type { RunStore } from '../run-store.js';
import type { RunRecord } from '../run-record.js';
import type { FilesHere } from './planned-file.js';
import type { HeldItem } from './held-item.js';
import type { ReadingHold } from './reading-hold.js';
import type { RunTurns } from './run-turns.js';
import { fromServer } from './server-failure.js';

/** What all items of a run have in common, in one worker. */
export interface ItemContext {
  readonly server: RunStore;
  readonly record: RunRecord;
  readonly settings: TargetSettings;
  /** Those of the plan, with the key of this worker. */
  readonly changes: RecordChanges | undefined;
  /** The URLs of the target, without queries. */
  readonly urls: readonly string[];
  readonly files: FilesHere;
  /** Requests in flight, per thread and URL; of a collector, per item. */
  readonly concurrency: number;
  /** That of all jobs of the run, see `Job`. */
  readonly group: string;
  readonly log: AttemptLog | undefined;
  /** How many bytes of a file to read at once. */
  readonly rangeBytes: number;
  /** By how many milliseconds the server's clock is ahead of that of the executions. */
  readonly aheadMs: () => number;
  readonly start: (options: ItemExecutionOptions) => ItemExecution;
  /** An execution has found out something about a URL; times are by its clock. */
  readonly onNotice: (url: number, notice: EndpointNotice) => void;
  /** A token endpoint refuses the credentials, in a sentence. */
  readonly onRefused: (reason: string) => void;
  /** What is known of the URLs; times are by the clock of executions. */
  readonly notices: () => readonly QueueNotice[];
  /** Of the rates that all workers of the run share. */
  readonly turns: Pick<RunTurns, 'of'>;
  readonly hold: Pick<ReadingHold, 'isHeld' | 'added'>;
}

/** Outcomes of an item that may be sent and not stored: so many a crash repeats at most. */
const maxUncommitted = 500;

export const unread: ItemProgress = { sequence: 0, last: null, open: [], counts: {} };

/** Whether a line of it can be read again at its offset, in any thread: of plain files. */
export function isRereadable({ isWhole, rowGroups, version }: PlannedFile): boolean {
  return !isWhole && !rowGroups && version === undefined;
}

/** The job of an item, whose only file is number 0. */
export function jobFor(
  { record: { plan }, settings, changes, concurrency, group, urls, log }: ItemContext,
  file: PlannedFile,
  path: string,
): Job {
  const { users, ...rest } = plan.selection;
  const selection = { ...rest, ...(users && { users: new Set(users) }) };
  const name = nameOf(file);
  return {
    files: [name],
    paths: [path],
    canReread: [isRereadable(file)],
    checkpoint: { last: new Map(), open: [] },
    settings,
    concurrency,
    group,
    latency: sharedCounts(),
    maxUncommitted,
    selection,
    changes: changes && { ...changes, selection },
    rowFiles: file.layout === 'rows' ? new Set([name]) : undefined,
    deadLettersChanged: plan.deadLettersChanged,
    stamp: { ids: plan.ids, seed: plan.seed },
    rate: plan.rate ?? undefined,
    retries: [],
    retryIds: { last: 0, step: 1 },
    urls,
    reportsAttempts: log !== undefined,
    isVerbose: false,
    ownsCheckpoint: true,
    exportsRetries: !plan.isOrdered,
    isOrdered: plan.isOrdered,
    countsOpen: true,
    leasesTurns: plan.rate !== null,
    asksBeforeProbe: true,
    sharesRates: true,
  };
}

/** Starts a job and gives the item its execution. */
export function startItem(
  context: ItemContext,
  held: HeldItem,
  options: Pick<ItemExecutionOptions, 'job' | 'ranges' | 'onCommit'>,
): ItemExecution {
  const { server, record, turns, start, onNotice, onRefused, notices, hold } = context;
  const execution = start({
    ...options,
    job: { ...options.job, notices: notices() },
    ...{ onNotice, onRefused },
    // The notices say it, once for the whole run.
    onDown: () => undefined,
    lease: (request, url) => fromServer(turns.of(url).lease(request)),
    releaseTurns: (left, url) => turns.of(url).release(left),
    mayProbe: (url) => fromServer(server.mayProbe(record.id, url)),
  });
  held.attach(execution);
  if (hold.isHeld) held.holdReading(true);
  return execution;
}

/** Writes the attempts of a commit to the log of this worker; resolves when there is room for more. */
export async function logAttempts(
  log: AttemptLog | undefined,
  { attempts }: Commit,
): Promise<void> {
  for (const [result, messageId] of attempts) log?.write(result, messageId);
  await log?.room();
}
