import { systemClock } from '../../clock.js';
import { openTarget } from '../../config/open-target.js';
import { KeyedQueue } from '../../delivery/keyed-queue.js';
import { RateLimiter } from '../../delivery/rate-limiter.js';
import { sleep } from '../../delivery/sleep.js';
import { readBatches } from '../../input/read.js';
import { StoreCommitter } from '../../ledger/committer.js';
import { Ledger } from '../../ledger/ledger.js';
import type { RunCounts, Summary } from '../../ledger/summary.js';
import { run, type Pacer } from '../../importer/pipeline.js';
import type { CommitGroup } from '../../storage/commit-timer.js';
import type { Target } from '../../delivery/target.js';
import {
  canReread,
  isSelected,
  maxUncommitted,
  readingOf,
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

  constructor(parts: ImportParts, listener: ImportListener) {
    const { inputs, settings, state, log, onStep } = parts;
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
      clock: systemClock,
      onProblem: ({ verdict, message = '' }, { origin }) =>
        listener.problem({ file: origin.file, line: origin.line, verdict, message }),
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
    const { state, flags, transform } = this.#parts;
    const target = (this.#target ??= await this.#openTarget());
    try {
      await run({
        source: readBatches(
          this.#parts.inputs,
          readingOf(this.#parts, this.#listener, interrupted),
        ),
        isSelected: isSelected(this.#parts),
        transform,
        limit: this.#limitLeft(),
        stamp: { ids: flags.ids, seed: state.seed },
        pacers: this.#pacers(),
        order: flags.ordered ? this.#order() : undefined,
        target,
        ledger: this.#ledger,
        clock: systemClock,
        sleep: (ms) => sleep(ms, systemClock, interrupted),
        interrupted,
      });
    } finally {
      await target.close();
    }
  }

  finish(hasReadAll: boolean): Summary {
    return this.#ledger.finish(hasReadAll);
  }

  #openTarget(): Promise<Target> {
    const { settings, flags } = this.#parts;
    return openTarget(settings, {
      concurrency: flags.concurrency,
      handsBack: true,
      disablesOnGone: true,
      ...(flags.ordered && { flushAfterMs: orderedFlushMs }),
      onDown: (url, isDown) => this.#listener.down(url, isDown),
      onAttempt: (result, messageId) => {
        this.#ledger.attempt(result, messageId);
        this.#listener.attempt(result);
      },
    });
  }

  /** `--limit` counts over all runs of an import. */
  #limitLeft(): number {
    const { flags, state } = this.#parts;
    if (flags.limit === undefined) return Infinity;
    const { delivered, failed } = state.store.counts();
    return Math.max(0, flags.limit - delivered - failed - state.store.retryCount());
  }

  #pacers(): Pacer[] {
    const { flags, replay } = this.#parts;
    const pacers: Pacer[] = [];
    if (replay) pacers.push(replay);
    if (flags.rate !== undefined) {
      const rateLimiter = new RateLimiter(flags.rate, systemClock);
      pacers.push({ waitFor: () => rateLimiter.turn() });
    }
    return pacers;
  }

  #order(): KeyedQueue<() => void> {
    const order = new KeyedQueue<() => void>((start) => start(), maxHeld);
    for (const user of this.#ledger.waitingUsers()) order.block(user);
    return order;
  }
}
