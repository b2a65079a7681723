import type { MessagePort } from 'node:worker_threads';
import { systemClock } from '../../clock.js';
import { openTarget } from '../../config/open-target.js';
import { RateLimiter } from '../../delivery/rate-limiter.js';
import { sleep } from '../../delivery/sleep.js';
import { EvfwdError } from '../../errors.js';
import { selector } from '../../events/select.js';
import { Ledger } from '../../ledger/ledger.js';
import { ImportStore } from '../../ledger/store.js';
import { run } from '../pipeline.js';
import type { CommitGroup } from '../../storage/commit-timer.js';
import type { Target } from '../../delivery/target.js';
import type { WorkerFailure, Job, WorkerCommand, WorkerReport } from './messages.js';
import { PortCommitter } from './port-committer.js';
import { RangeSource } from './range-source.js';

/** A message costs about 0.1 ms, so messages are at least this far apart; see `groupOf`. */
const groupMs = 10;

/**
 * Runs the pipeline over the ranges received through the port, with its own connections, and reports
 * the outcomes. Ends after the command `end` or `stop`.
 */
export async function workThroughRanges(job: Job, port: MessagePort): Promise<void> {
  const worker = await RangeWorker.open(job, (report) => port.postMessage(report));
  port.on('message', (command: WorkerCommand) => worker.handle(command));
  const failure = await worker.run().then(() => undefined, failureOf);
  port.postMessage({ kind: 'ended', failure } satisfies WorkerReport);
  port.close();
}

class RangeWorker {
  readonly #job: Job;
  readonly #post: (report: WorkerReport) => void;
  readonly #interruption = new AbortController();
  readonly #source: RangeSource;
  readonly #committer: PortCommitter;
  readonly #ledger: Ledger;
  #target: Target | undefined;

  static async open(job: Job, post: (report: WorkerReport) => void): Promise<RangeWorker> {
    const store = await ImportStore.open(':memory:');
    store.commit({ ...nothing, putRetries: job.retries });
    return new RangeWorker(job, post, store);
  }

  private constructor(job: Job, post: (report: WorkerReport) => void, store: ImportStore) {
    this.#job = job;
    this.#post = post;
    this.#source = new RangeSource(job.files, job.checkpoint, () => post({ kind: 'want' }));
    this.#committer = new PortCommitter({
      store,
      job,
      state: () => ({
        bytes: this.#ledger.bytes,
        waiting: this.#ledger.waiting,
        doneRanges: this.#source.done,
      }),
      post,
    });
    this.#ledger = new Ledger({
      store,
      committer: this.#committer,
      deadLetterPath: '',
      files: job.files,
      canReread: (file) => job.canReread[file] === true,
      isResumable: true,
      clock: systemClock,
      group: groupOf(job),
      retryIds: job.retryIds,
      onProblem: ({ verdict, message = '' }, { origin }) => {
        const { file, line } = origin;
        this.#committer.problem({ file, line, verdict, message });
      },
    });
  }

  async run(): Promise<void> {
    const target = (this.#target = await this.#openTarget());
    const { signal } = this.#interruption;
    try {
      await run({
        source: this.#source,
        isSelected: selector(this.#job.selection),
        limit: Infinity,
        stamp: this.#job.stamp,
        pacers: this.#pacers(),
        target,
        ledger: this.#ledger,
        clock: systemClock,
        sleep: (ms) => sleep(ms, systemClock, signal),
        interrupted: signal,
      });
    } finally {
      await target.close();
      this.#ledger.finish(false);
    }
  }

  handle(command: WorkerCommand): void {
    if (command.kind === 'range') this.#source.push(command.range);
    else if (command.kind === 'durable') this.#committer.durable(command.rows);
    else if (command.kind === 'notice') this.#applyNotice(command);
    else {
      if (command.kind === 'stop') this.#stop();
      this.#source.end();
    }
  }

  #stop(): void {
    this.#interruption.abort();
    this.#committer.stop();
  }

  #applyNotice({ queue, notice }: Extract<WorkerCommand, { kind: 'notice' }>): void {
    this.#target?.applyNotice?.(queue, notice);
    if (notice.kind === 'gone') this.#ledger.flush();
  }

  #openTarget(): Promise<Target> {
    const { settings, concurrency } = this.#job;
    return openTarget(settings, {
      concurrency,
      handsBack: true,
      disablesOnGone: true,
      onDown: (url, isDown) => this.#post({ kind: 'down', url, isDown }),
      onNotice: (queue, notice) => this.#post({ kind: 'notice', queue, notice }),
      onAttempt: (result, messageId) => this.#committer.attempt(result, messageId),
    });
  }

  #pacers(): { waitFor: () => number }[] {
    const { rate } = this.#job;
    if (rate === undefined) return [];
    const rateLimiter = new RateLimiter(rate, systemClock);
    return [{ waitFor: () => rateLimiter.turn() }];
  }
}

/** Half of the rows that a crash may undo: one half becomes durable while the other is sent. */
function groupOf({ maxUncommitted }: Job): CommitGroup {
  return { rows: Math.ceil(maxUncommitted / 2), ms: groupMs };
}

const nothing = {
  checkpoint: { last: new Map(), open: [] },
  counts: { delivered: 0, rejected: 0, failed: 0, skipped: 0 },
  isFinished: false,
  putRetries: [],
  deleteRetries: [],
  addDeadLetters: [],
};

/** An unexpected error is thrown: it ends the thread, with its stack. */
function failureOf(error: unknown): WorkerFailure {
  if (!(error instanceof EvfwdError)) throw error;
  const { code, message, exitCode } = error;
  return { code, message, exitCode };
}
