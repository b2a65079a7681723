import type { Clock } from '../clock.js';
import { RateLimiter } from '../delivery/rate-limiter.js';
import { KeyedQueue } from '../delivery/keyed-queue.js';
import type { DownReason } from '../delivery/circuit-breaker.js';
import type { AttemptResult } from '../delivery/outcome.js';
import { sleep } from '../delivery/sleep.js';
import type { Target } from '../delivery/target.js';
import { runPipeline, type Pipeline } from '../importer/pipeline.js';
import { StoreCommitter, type CommitStep } from '../ledger/committer.js';
import type { DeadLetterFile } from '../ledger/dead-letter-file.js';
import { Ledger, type LedgerOptions } from '../ledger/ledger.js';
import type { ImportStore } from '../ledger/store.js';
import type { RunCounts, Summary } from '../ledger/summary.js';
import type { RunEngine, RunListener } from './run.js';

/** What a target reports while it sends. */
export interface TargetEvents {
  readonly onDown: (url: string, isDown: boolean, reason?: DownReason) => void;
  readonly onAttempt: (result: AttemptResult, messageId: string) => void;
  /** A token endpoint refuses the credentials, in a sentence: what waits for a token is not sent in this run. */
  readonly onRefused: (reason: string) => void;
}

export interface SingleThreadParts
  extends
    Pick<Pipeline, 'isSelected' | 'isSelectedAfter' | 'transform' | 'limit' | 'stamp' | 'schedule'>,
    Pick<
      LedgerOptions,
      | 'store'
      | 'committer'
      | 'deadLetterPath'
      | 'group'
      | 'deadLettersChanged'
      | 'rowFiles'
      | 'files'
      | 'canReread'
      | 'isResumable'
      | 'items'
      | 'log'
      | 'urls'
      | 'onProblem'
      | 'onAttempts'
    > {
  readonly clock: Clock;
  readonly openSource: (interrupted: AbortSignal) => Pipeline['source'];
  readonly openTarget: (events: TargetEvents) => Promise<Target>;
  /** The most items per second. */
  readonly rate: number | undefined;
  /** Whether the events of one user are sent one after the other. */
  readonly isOrdered: boolean;
  readonly listener: RunListener;
  /** As of a `RunEngine`. Default: none. */
  readonly warnings?: () => readonly string[];
}

/** With `isOrdered`: how many events may wait for an earlier one of their user before reading pauses. */
const maxHeld = 1_000;

interface UnflushedOptions {
  /** The maximum of completed rows that are not on the disk yet: a power cut undoes them. */
  readonly maxUncommitted: number;
  /** Called at each step of a commit, for tests that end the process between two steps. */
  readonly onStep?: ((step: CommitStep) => void) | undefined;
}

/** Commits that do not wait for the disk: one half of their rows is flushed while the other fills. */
export function unflushedCommits(
  { store, deadLetters }: { readonly store: ImportStore; readonly deadLetters: DeadLetterFile },
  { maxUncommitted: rows, onStep }: UnflushedOptions,
): Pick<LedgerOptions, 'store' | 'committer' | 'deadLetterPath' | 'group'> {
  return {
    store,
    deadLetterPath: deadLetters.path,
    committer: new StoreCommitter(store, deadLetters, { maxUnflushed: rows, onStep }),
    group: { rows: rows / 2, ms: 5 },
  };
}

/** Joins a source, a target and a ledger by the pipeline, in this thread alone. */
export class SingleThreadRun implements RunEngine {
  readonly #parts: SingleThreadParts;
  readonly #ledger: Ledger;
  #target: Target | undefined;
  #hasEnded = false;

  constructor(parts: SingleThreadParts) {
    this.#parts = parts;
    this.#ledger = new Ledger({
      ...parts,
      onProblem: (outcome, item) => {
        parts.onProblem?.(outcome, item);
        parts.listener.counted();
      },
    });
  }

  get counts(): RunCounts {
    return this.#ledger;
  }

  async urls(): Promise<readonly string[]> {
    this.#target = await this.#openTarget();
    return this.#target.urls;
  }

  async forward(interrupted: AbortSignal): Promise<void> {
    const { openSource, rate, isOrdered, listener, clock } = this.#parts;
    const target = (this.#target ??= await this.#openTarget());
    try {
      await runPipeline({
        ...this.#parts,
        source: this.#untilEnd(openSource(interrupted)),
        onNext: () => listener.next(),
        rate: rate === undefined ? undefined : new RateLimiter(rate, clock),
        order: isOrdered ? this.#order() : undefined,
        target,
        ledger: this.#ledger,
        sleep: (ms) => sleep(ms, clock, interrupted),
        interrupted,
      });
    } finally {
      await target.close();
    }
  }

  finish(hasReadAll: boolean): Summary {
    return this.#ledger.finish(hasReadAll && this.#hasEnded);
  }

  warnings(): readonly string[] {
    return this.#parts.warnings?.() ?? [];
  }

  #openTarget(): Promise<Target> {
    const { openTarget, listener } = this.#parts;
    return openTarget({
      onDown: (...change) => listener.down(...change),
      onRefused: (reason) => listener.refused(reason),
      onAttempt: (result, messageId) => this.#ledger.attempt(result, messageId),
    });
  }

  /** A run that stops at its limit has not read everything, even if it has sent all there is. */
  async *#untilEnd<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
    yield* source;
    this.#hasEnded = true;
  }

  #order(): KeyedQueue<() => void> {
    const order = new KeyedQueue<() => void>((start) => start(), maxHeld);
    for (const user of this.#ledger.waitingUsers()) order.block(user);
    return order;
  }
}
