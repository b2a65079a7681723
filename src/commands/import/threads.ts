import { checkTarget } from '../../config/open-target.js';
import { readRanges } from '../../sources/ranges.js';
import { StoreCommitter } from '../../ledger/committer.js';
import { plainCheckpoint } from '../../ledger/progress.js';
import type { RunCounts, Summary } from '../../ledger/summary.js';
import type { RunEngine } from '../../run/run.js';
import { WorkerPool } from '../../importer/workers/worker-pool.js';
import { ImportCoordinator } from '../../importer/workers/import-coordinator.js';
import type { Job } from '../../importer/workers/messages.js';
import { settingsOfThread, threadShare } from '../../importer/workers/thread-share.js';
import {
  canReread,
  changesIn,
  maxUncommitted,
  rowFilesOf,
  readingOf,
  selectionIn,
  urlsOf,
  type ImportListener,
  type ImportParts,
} from './parts.js';

/** An import whose files are distributed over worker threads; this thread keeps the state. */
export class MultiThreadImport implements RunEngine {
  readonly #parts: ImportParts;
  readonly #listener: ImportListener;
  readonly #threads: number;
  readonly #coordinator: ImportCoordinator;
  #workerPool: WorkerPool | undefined;
  #warnings: readonly string[] | undefined;

  constructor(parts: ImportParts, listener: ImportListener, threads: number) {
    const { state, log, onStep, platform } = parts;
    this.#parts = parts;
    this.#listener = listener;
    this.#threads = threads;
    this.#coordinator = new ImportCoordinator({
      store: state.store,
      committer: new StoreCommitter(state.store, state.deadLetters, { onStep }),
      deadLetterPath: state.deadLetters.path,
      threads,
      log,
      clock: platform.clock,
      urls: urlsOf(parts),
      onAttempt: (attempt) => listener.attempt(attempt),
      onProblem: (problem) => listener.problem(() => problem),
      onCounts: () => listener.counted(),
      onDurable: (thread, rows) => this.#workerPool?.durable(thread, rows),
      onFailure: () => this.#workerPool?.stop(),
    });
  }

  get counts(): RunCounts {
    return this.#coordinator;
  }

  /** The worker threads have their own connections. */
  urls(): Promise<readonly string[]> {
    return checkTarget(this.#parts.settings, this.#parts.platform);
  }

  async forward(interrupted: AbortSignal): Promise<void> {
    this.#workerPool = new WorkerPool({
      jobs: this.#jobs(),
      newThread: this.#parts.newThread,
      coordinator: this.#coordinator,
      ranges: readRanges(this.#parts.inputs, readingOf(this.#parts, this.#listener, interrupted)),
      interrupted,
      onDown: (...change) => this.#listener.down(...change),
      onRefused: (reason) => this.#listener.refused(reason),
      onWarnings: (texts) => {
        // What one thread has found is no mistake.
        this.#warnings = (this.#warnings ?? texts).filter((text) => texts.includes(text));
      },
    });
    try {
      await this.#workerPool.run();
    } finally {
      // Also when the run fails: the next run must not send again what was delivered.
      this.#coordinator.commit();
    }
  }

  warnings(): readonly string[] {
    return this.#warnings ?? [];
  }

  finish(hasReadAll: boolean): Summary {
    return this.#coordinator.finish(hasReadAll);
  }

  #jobs(): Job[] {
    // Computed once: there may be thousands of files.
    const common = {
      canReread: canReread(this.#parts),
      checkpoint: plainCheckpoint(this.#parts.state.store.checkpoint()),
    };
    return Array.from({ length: this.#threads }, (_, thread) => this.#job(thread, common));
  }

  #job(thread: number, common: Pick<Job, 'canReread' | 'checkpoint'>): Job {
    const { inputs, flags, settings, state, log } = this.#parts;
    return {
      ...common,
      files: inputs.map(({ name }) => name),
      settings: settingsOfThread(settings, thread, this.#threads),
      concurrency: threadShare(flags.concurrency, thread, this.#threads),
      latency: this.#coordinator.latency(thread),
      maxUncommitted: Math.max(
        1,
        threadShare(maxUncommitted[settings.kind], thread, this.#threads),
      ),
      selection: selectionIn(this.#parts),
      changes: changesIn(this.#parts),
      rowFiles: rowFilesOf(this.#parts),
      deadLettersChanged: flags.deadLetterChanged,
      stamp: { ids: flags.ids, seed: state.seed },
      rate: flags.rate === undefined ? undefined : flags.rate / this.#threads,
      retries: this.#coordinator.retries[thread]!,
      retryIds: { last: state.store.lastRetryId() + thread, step: this.#threads },
      urls: urlsOf(this.#parts),
      reportsAttempts: log !== undefined,
      isVerbose: flags.verbose === true,
    };
  }
}
