import type { TargetSettings } from '../../config/open-target.js';
import type { Platform } from '../../delivery/platform.js';
import { withoutQuery } from '../../http/url.js';
import type { Event } from '../../events/event.js';
import { isPlainFile, type Input } from '../../sources/input.js';
import { restOf } from '../../ledger/resume.js';
import type { ReadOptions } from '../../sources/read.js';
import type { FileShare, Shard } from '../../sources/shard.js';
import { selector, type Selection } from '../../events/select.js';
import type { Transform } from '../../events/transform.js';
import type { Changes, RecordChanges } from '../../steps/changes.js';
import type { AttemptLog } from '../../ledger/attempt-log.js';
import type { CommitStep } from '../../ledger/committer.js';
import type { EventAttempt, EventProblem } from '../../importer/reported-event.js';
import type { ImportThread } from '../../importer/workers/job-thread.js';
import type { Io } from '../shared/command.js';
import type { TypedFlag } from '../flags/flag.js';
import { selectionOf, type ImportFlags } from './flags.js';
import type { RunState } from '../shared/run-state.js';
import type { SpeedSchedule } from '../../run/speed-schedule.js';
import type { RunListener } from '../../run/run.js';

/**
 * The maximum of completed rows that are not on the disk yet, over all threads: a power cut undoes them.
 * A collector's limit is higher, since one response completes hundreds of events: with 500 rows, every
 * other response would wait for the disk.
 */
export const maxUncommitted = { webhooks: 500, collector: 5_000 };

/** The parts of an import. */
export interface ImportParts {
  readonly inputs: readonly Input[];
  /** The files that were passed as arguments; other inputs are those of `--files-from`. */
  readonly files: readonly string[];
  readonly flags: ImportFlags;
  /** The flags as they were typed, for commands that are printed. */
  readonly typed: readonly TypedFlag[];
  readonly io: Io;
  readonly settings: TargetSettings;
  readonly platform: Platform;
  /** Starts a thread, if the import uses several. */
  readonly newThread: () => ImportThread;
  readonly state: RunState;
  readonly log: AttemptLog | undefined;
  readonly transform: Transform | undefined;
  readonly recordChanges: RecordChanges | undefined;
  readonly schedule: SpeedSchedule | undefined;
  /** The part of this process, if several share the import. */
  readonly shard: Shard | undefined;
  /** What the shard has of each input; undefined without a shard. */
  readonly shares: readonly FileShare[] | undefined;
  /** Called at each step of a commit, for tests that end the process between two steps. */
  readonly onStep: ((step: CommitStep) => void) | undefined;
}

/** Receives the events of a running import. */
export interface ImportListener extends RunListener {
  /** Called only with `--verbose`. */
  attempt(attempt: EventAttempt): void;
  /** An event was neither delivered nor skipped; `problem` describes it. */
  problem(problem: () => EventProblem): void;
}

/** The URLs of several webhooks, for their counts; those that are not valid are reported later. */
export function urlsOf({ settings }: Pick<ImportParts, 'settings'>): string[] {
  if (settings.kind === 'collector') return [];
  return settings.endpoints.flatMap(({ url }) => (URL.canParse(url) ? [withoutQuery(url)] : []));
}

/** Whether the lines of each input can be read again by offset. */
export function canReread({ inputs, transform }: ImportParts): boolean[] {
  return inputs.map((input) => input.isFile && isPlainFile(input) && transform === undefined);
}

export function selectionIn({ flags, state }: ImportParts): Selection {
  return selectionOf(flags, state);
}

/** The names of the inputs whose lines are rows; undefined without any. */
export function rowFilesOf({ inputs }: ImportParts): ReadonlySet<string> | undefined {
  const rows = inputs.filter(({ layout }) => layout === 'rows');
  return rows.length > 0 ? new Set(rows.map(({ name }) => name)) : undefined;
}

export function isSelected(parts: ImportParts): (event: Event) => boolean {
  return selector(selectionIn(parts));
}

/** What is done to each record, its selection included; undefined where lines are events as they are. */
export function changesIn(parts: ImportParts): Changes | undefined {
  const { recordChanges } = parts;
  return recordChanges && { ...recordChanges, selection: selectionIn(parts) };
}

/** Reads the inputs from where an earlier run stopped. */
export function readingOf(
  { state, io, shares }: ImportParts,
  listener: ImportListener,
  signal: AbortSignal,
): ReadOptions {
  const checkpoint = state.store.checkpoint();
  return {
    stdin: io.stdin,
    signal,
    rest: (index) => restOf(checkpoint, index),
    shares,
    onBroken: (error) => listener.broken(error),
  };
}
