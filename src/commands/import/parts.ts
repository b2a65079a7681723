import type { AttemptResult } from '../../delivery/outcome.js';
import type { TargetSettings } from '../../config/open-target.js';
import type { Event } from '../../events/event.js';
import { isGzipFile, type Input } from '../../input/input.js';
import { restOf } from '../../ledger/resume.js';
import type { BrokenInputError, ReadOptions } from '../../input/read.js';
import { selector, type Selection } from '../../events/select.js';
import type { Transform } from '../../events/transform.js';
import type { AttemptLog } from '../../ledger/attempt-log.js';
import type { CommitStep } from '../../ledger/committer.js';
import type { RunCounts, Summary } from '../../ledger/summary.js';
import type { EventProblem } from '../../importer/workers/messages.js';
import type { Io } from '../shared/command.js';
import { selectionOf, type ImportFlags } from './flags.js';
import type { ImportState } from './state.js';
import type { ReplaySchedule } from './replay-schedule.js';

/**
 * Rows that have ended and are not on the disk, in all threads: a power cut undoes them. One answer of a
 * collector ends hundreds of events: with 500 rows, every other one would wait for the disk.
 */
export const maxUncommitted = { webhooks: 500, collector: 5_000 };

/** All that an import is made of. */
export interface ImportParts {
  readonly inputs: readonly Input[];
  readonly flags: ImportFlags;
  readonly io: Io;
  readonly settings: TargetSettings;
  readonly state: ImportState;
  readonly log: AttemptLog | undefined;
  readonly transform: Transform | undefined;
  readonly replay: ReplaySchedule | undefined;
  /** Hears of each step of a commit, for tests that end the process between two of them. */
  readonly onStep: ((step: CommitStep) => void) | undefined;
}

/** What an import tells while it goes on. */
export interface ImportListener {
  /** So many bytes more were read from disk. */
  advance(bytes: number): void;
  attempt(result: AttemptResult): void;
  /** An event was neither delivered nor left out on purpose. */
  problem(trouble: EventProblem): void;
  /** A URL is taken to be down, or answers again. */
  down(url: string, isDown: boolean): void;
  /** An input breaks off; the next one is read then. */
  broken(error: BrokenInputError): void;
}

/** The way from the files to the outcomes: in this thread alone, or in several. */
export interface ImportEngine {
  readonly counts: RunCounts;
  /** For people, without queries. @throws UsageError when the target cannot be used. */
  urls(): Promise<readonly string[]>;
  /** Resolves when all is sent, or nothing more may be. */
  forward(interrupted: AbortSignal): Promise<void>;
  /** Makes all durable and sums up. `hasReadAll`: whether the inputs came to their end. */
  finish(hasReadAll: boolean): Summary;
}

/** Whether the lines of each input can be read again at their place. */
export function canReread({ inputs, transform }: ImportParts): boolean[] {
  return inputs.map((input) => input.isFile && !isGzipFile(input) && transform === undefined);
}

/** What is to be sent. */
export function selectionIn({ flags, state }: ImportParts): Selection {
  return selectionOf(flags, state);
}

export function isSelected(parts: ImportParts): (event: Event) => boolean {
  return selector(selectionIn(parts));
}

/** How the inputs are read, from where an earlier run has stopped. */
export function readingOf(
  { state, io }: ImportParts,
  listener: ImportListener,
  signal: AbortSignal,
): ReadOptions {
  const place = state.store.checkpoint();
  return {
    stdin: io.stdin,
    signal,
    rest: (index) => restOf(place, index),
    onRaw: (bytes) => listener.advance(bytes),
    onBroken: (error) => listener.broken(error),
  };
}
