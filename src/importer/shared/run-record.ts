import type { Histogram } from '../../ledger/histogram.js';
import type { Plan } from './plan.js';
import type { StatChanges } from './item.js';

/** `finished`: every range has ended and no event waits. */
export type RunStatus = 'running' | 'paused' | 'cancelled' | 'finished';

/** A run as stored, with its plan. */
export interface RunRecord extends RunHead {
  readonly plan: Plan;
}

/** A run without its plan, which may be long; times in milliseconds since 1970 by the clock of the server. */
export interface RunHead {
  /** `history-k3f9c02d`: letters, digits and dashes. */
  readonly id: string;
  /** `publicHashOf` its plan. */
  readonly publicHash: string;
  readonly status: RunStatus;
  /** Why it was paused: the reason of `--stop-after`; null if a user did it. */
  readonly stopReason: string | null;
  /** Parts. */
  readonly total: number;
  readonly createdAt: number;
  readonly endedAt: number | null;
}

/** Whether it has not ended. */
export function isOpen({ status }: Pick<RunHead, 'status'>): boolean {
  return status === 'running' || status === 'paused';
}

/** What is known of a run at one time. */
export interface RunSnapshot {
  readonly record: RunRecord;
  readonly ranges: { readonly total: number; readonly done: number; readonly failed: number };
  /** Retry batches whose processing failed, because a file has changed. */
  readonly failedRetries: number;
  readonly stats: StatChanges;
  /** The times to responses of all workers. */
  readonly latency: Histogram;
  /** Totals at the time when the run was last resumed, for `--stop-after`. */
  readonly statsAtResume: StatChanges;
  /** When the next retry batch is due; Infinity when none waits. */
  readonly nextDueAt: number;
  /** Workers that have reported in the last seconds. */
  readonly workers: readonly WorkerReport[];
  /** Why ranges failed, each once, with how many. */
  readonly problems: readonly RunProblem[];
}

export interface WorkerReport {
  /** `<host>-<pid>-<4 random hex digits>`. */
  readonly id: string;
  /** Items in hand. */
  readonly items: number;
}

/** Ranges or retries that could not be worked on. */
export interface RunProblem {
  /** A path, as in the plan. */
  readonly file: string;
  /** One sentence. */
  readonly message: string;
  readonly ranges: number;
}
