import { openTarget } from '../../config/open-target.js';
import { KeyedQueue } from '../../delivery/keyed-queue.js';
import { RateLimiter } from '../../delivery/rate-limiter.js';
import { sleep } from '../../delivery/sleep.js';
import { readBatches } from '../../input/read.js';
import { StoreCommitter } from '../../ledger/committer.js';
import { Ledger, type LedgerOptions } from '../../ledger/ledger.js';
import type { RunCounts, Summary } from '../../ledger/summary.js';
import { run } from '../../importer/pipeline.js';
import { attemptsOf, problemOf } from '../../importer/reported-event.js';
import type { CommitGroup } from '../../storage/commit-timer.js';
import type { Target } from '../../delivery/target.js';
import {
  canReread,
  isSelected,
  maxUncommitted,
  readingOf,
  urlsOf,
  type ImportEngine,
  type ImportListener,
  type ImportParts,
} from './parts.js';

/** With `--ordered`: how many events may wait for an earlier one of their user before reading pauses. */
const maxHeld = 1_000;
/** With `--ordered`: the next event of a user waits for the one before it, so batches rarely fill. */
const orderedFlushMs = 10;
/** One half is flushed to the disk while the other fills. */
const halfOf = (rows: number): CommitGroup => ({ rows: rows / 2, ms: 5 });

/** An import in this thread alone, for ordered sending and for small files. */
export class SingleThreadImport implements ImportEngine {
  readonly #parts: ImportParts;
  readonly #listener: ImportListener;
  readonly #ledger: Ledger;
  #target: Target | undefined;
  #hasEnded = false;

  constructor(parts: ImportParts, listener: ImportListener) {
    const { inputs, settings, state, log, onStep, platform } = parts;
    const rereadable = canReread(parts);
    const rows = maxUncommitted[settings.kind];
    this.#parts = parts;
    this.#listener = listener;
    this.#ledger = new Ledger({
      store: state.store,
      committer: new StoreCommitter(state.store, state.deadLetters, { maxUnflushed: rows, onStep }),
      deadLetterPath: state.deadLetters.path,
      files: inputs.map(({ name }) => name),
      canReread: (file) => rereadable[file] === true,
      isResumable: state.isResumable,
      group: halfOf(rows),
      log,
      clock: platform.clock,
      urls: urlsOf(parts),
      onProblem: (outcome, item) => {
        listener.problem(() => problemOf(outcome, item));
        listener.counted();
      },
      ...(parts.flags.verbose && { onAttempts: showAttempts(listener) }),
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
    const { state, flags, transform, replay, platform } = this.#parts;
    const { clock } = platform;
    const target = (this.#target ??= await this.#openTarget());
    try {
      await run({
        source: this.#untilEnd(
          readBatches(this.#parts.inputs, readingOf(this.#parts, this.#listener, interrupted)),
        ),
        onNext: () => this.#listener.next(),
        isSelected: isSelected(this.#parts),
        transform,
        limit: flags.limit ?? Infinity,
        stamp: { ids: flags.ids, seed: state.seed },
        schedule: replay,
        rate: flags.rate === undefined ? undefined : new RateLimiter(flags.rate, clock),
        order: flags.ordered ? this.#order() : undefined,
        target,
        ledger: this.#ledger,
        clock,
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

  #openTarget(): Promise<Target> {
    const { settings, flags, platform } = this.#parts;
    return openTarget(settings, {
      platform,
      concurrency: flags.concurrency,
      handsBack: true,
      disablesOnGone: true,
      ...(flags.ordered && { flushAfterMs: orderedFlushMs }),
      onDown: (...change) => this.#listener.down(...change),
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

function showAttempts(listener: ImportListener): LedgerOptions['onAttempts'] {
  return (outcome, item) =>
    attemptsOf(outcome, item).forEach((attempt) => listener.attempt(attempt));
}
