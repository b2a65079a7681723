import type { TargetSettings } from '../config/open-target.js';
import type { LaneNews } from '../deliver/lane-news.js';
import type { AttemptResult, Fate } from '../deliver/outcome.js';
import type { Range } from '../events/range.js';
import type { Selection } from '../events/select.js';
import type { StampOptions } from '../events/stamp.js';
import type { Place } from '../ledger/progress.js';
import type { RetryRow } from '../ledger/retry-row.js';
import type { Changes } from '../ledger/store.js';
import type { Standing } from './standing.js';

/** What a worker thread needs to know of an import; plain data, for it is copied. */
export interface Job {
  /** Names of the inputs, in their order. */
  readonly files: readonly string[];
  /** Whether the lines of a file can be read again at their place, by its index. */
  readonly canReread: readonly boolean[];
  /** Where earlier runs have come to: it tells which lines are left. */
  readonly place: Place;
  readonly settings: TargetSettings;
  /** This thread's share of the requests in flight. */
  readonly concurrency: number;
  /** The number of this thread, from 0 on. */
  readonly thread: number;
  readonly memory: ThreadMemory;
  /** Rows that a crash may undo, in all threads. */
  readonly maxUncommitted: number;
  readonly selection: Selection;
  readonly stamp: Omit<StampOptions, 'now'>;
  /** This thread's share of `--rate`, in events a second. */
  readonly rate: number | undefined;
  /** The waiting events that this thread takes over from earlier runs. */
  readonly retries: readonly RetryRow[];
  readonly retryIds: { readonly last: number; readonly step: number };
  /** Whether every attempt is to be told, for `--log` and `--verbose`. */
  readonly tellsAttempts: boolean;
}

/** What a worker thread shares with the main one. */
export interface ThreadMemory {
  /** Of `NumbersWriter`: the standing of this thread. */
  readonly standing: SharedArrayBuffer;
  /** Of `Histogram`: how long its attempts took. */
  readonly latency: SharedArrayBuffer;
  /** Of `Uncommitted`, which all threads share. */
  readonly rows: SharedArrayBuffer;
}

/** To a worker thread. */
export type Order =
  | { readonly kind: 'range'; readonly range: Range }
  /** No more ranges will come. */
  | { readonly kind: 'end' }
  /** Send nothing new, and end. */
  | { readonly kind: 'stop' }
  /** It has waited for rows to become durable, and some have. */
  | { readonly kind: 'room' }
  /** What another thread has learnt of a URL, by its position. */
  | { readonly kind: 'learn'; readonly lane: number; readonly news: LaneNews };

/** From a worker thread. */
export type Report =
  /** It can take one more range. */
  | { readonly kind: 'want' }
  | ({ readonly kind: 'commit' } & Commit)
  /** So much has ended that it is to be made durable at once. */
  | { readonly kind: 'hurry' }
  | { readonly kind: 'learnt'; readonly lane: number; readonly news: LaneNews }
  | { readonly kind: 'down'; readonly url: string; readonly isDown: boolean }
  /** All that it took is told. */
  | { readonly kind: 'ended'; readonly failure: Failure | undefined };

/** What has happened in a thread, where numbers alone do not tell it. */
export interface Commit extends News {
  /** With all that this commit tells. */
  readonly standing: Standing;
}

/** Since the last commit that told any. */
export interface News extends Pick<Changes, 'putRetries' | 'deleteRetries' | 'addLetters'> {
  readonly attempts: readonly TaggedAttempt[];
  readonly troubles: readonly Trouble[];
}

export type TaggedAttempt = readonly [result: AttemptResult, messageId: string];

/** An event that was neither delivered nor left out, as people are told of it. */
export interface Trouble {
  readonly file: string;
  readonly line: number;
  readonly verdict: Fate;
  readonly message: string;
}

/** An error of ours, taken apart: classes do not travel between threads. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly exitCode: number;
}
