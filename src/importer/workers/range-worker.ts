import type { Rate } from '../../delivery/endpoint-pace.js';
import { KeyedQueue } from '../../delivery/keyed-queue.js';
import { RateLimiter } from '../../delivery/rate-limiter.js';
import { sleep } from '../../delivery/sleep.js';
import { EvfwdError } from '../../errors.js';
import { recordItems } from '../../ledger/item-kind.js';
import { RecordParser } from '../../steps/changes.js';
import { selector } from '../../events/select.js';
import { Ledger } from '../../ledger/ledger.js';
import { noCounts, type ImportStore } from '../../ledger/store.js';
import type { Checkpoint } from '../../ledger/progress.js';
import { runPipeline } from '../pipeline.js';
import { attemptsOf, problemOf } from '../reported-event.js';
import type { Target } from '../../delivery/target.js';
import type { WebhookConnections } from '../../webhook/connections.js';
import { commitGroupOf, fewestTogether } from './commit-group.js';
import { openJobConnections, openJobTarget } from './job-target.js';
import { LeaseRequests } from './lease-requests.js';
import type { WorkerFailure, Job, QueueNotice, WorkerCommand, WorkerReport } from './messages.js';
import type { JobPort } from './local-channel.js';
import { PortCommitter } from './port-committer.js';
import { returnPrivateStore, takePrivateStore } from './private-stores.js';
import { ProbeRequests } from './probe-requests.js';
import { RangeSource } from './range-source.js';
import { ReadingGate } from './reading-gate.js';
import type { FlushableJob } from './shared-flush.js';
import type { JobTurns } from './shared-turns.js';
import type { ThreadContext } from './thread-context.js';

/** With `isOrdered`: how many events may wait for an earlier one of their user before reading pauses. */
const maxHeld = 1_000;

/**
 * Runs the pipeline over the ranges received through the port, and reports the outcomes. Ends after the
 * command `end` or `stop`.
 */
export async function workThroughRanges(
  job: Job,
  port: JobPort,
  context: ThreadContext,
): Promise<void> {
  const post: Post = (report, transfer) => port.postMessage(report, transfer);
  const worker = await RangeWorker.open(job, post, context);
  port.on('message', (command: WorkerCommand) => worker.handle(command));
  const failure = await worker.run().then(() => undefined, failureOf);
  const { hasReadAll } = worker;
  port.postMessage({ kind: 'ended', hasReadAll, failure } satisfies WorkerReport);
  port.close();
}

/** `transfer`: buffers of the report that are moved to the other thread, not copied. */
type Post = (report: WorkerReport, transfer?: readonly ArrayBuffer[]) => void;

class RangeWorker implements FlushableJob {
  readonly #job: Job;
  readonly #store: ImportStore;
  readonly #post: Post;
  readonly #interruption = new AbortController();
  readonly #source: RangeSource;
  readonly #committer: PortCommitter;
  readonly #ledger: Ledger;
  #turns: JobTurns | undefined;
  readonly #probeRequests: ProbeRequests;
  readonly #leaseRequests: LeaseRequests;
  readonly #gate = new ReadingGate();
  readonly #context: ThreadContext;
  #target: Target | undefined;
  #committedRows = 0;
  /** Received before there is a target. */
  readonly #earlyNotices: QueueNotice[];
  readonly #parser: RecordParser | undefined;

  static async open(job: Job, post: Post, context: ThreadContext): Promise<RangeWorker> {
    const store = await takePrivateStore();
    const checkpoint = job.ownsCheckpoint ? job.checkpoint : emptyCheckpoint;
    store.commit({ ...nothing, checkpoint, putRetries: job.retries });
    return new RangeWorker(job, post, store, context);
  }

  private constructor(job: Job, post: Post, store: ImportStore, context: ThreadContext) {
    const { clock } = context.platform;
    this.#job = job;
    this.#store = store;
    this.#post = post;
    this.#context = context;
    this.#earlyNotices = [...(job.notices ?? [])];
    this.#probeRequests = new ProbeRequests((queue) => post({ kind: 'mayProbe', queue }));
    this.#leaseRequests = new LeaseRequests((queue, request) =>
      post({ kind: 'lease', queue, request }),
    );
    const parser = (this.#parser = job.changes && new RecordParser(job.changes));
    const onDone = (): void => post({ kind: 'want' });
    this.#source = new RangeSource(job.files, job.checkpoint, onDone, parser?.parse);
    this.#committer = new PortCommitter({
      store,
      job,
      state: () => ({
        bytes: this.#ledger.bytes,
        waiting: this.#ledger.waiting,
        doneRanges: this.#source.done,
        reasons: this.#ledger.reasons,
        urls: this.#ledger.urlCounts,
      }),
      post: (report, transfer) => {
        post(report, transfer);
        this.#flushOthers(report.snapshot.rows);
      },
    });
    this.#ledger = new Ledger({
      store,
      committer: this.#committer,
      deadLetterPath: '',
      files: job.files,
      canReread: (file) => job.canReread[file] === true,
      isResumable: true,
      clock,
      group: commitGroupOf(job),
      retryIds: job.retryIds,
      items: parser && recordItems(parser.parse),
      rowFiles: job.rowFiles,
      deadLettersChanged: job.deadLettersChanged,
      urls: job.urls,
      ...(job.paths && { paths: job.paths }),
      exportsRetries: job.exportsRetries === true,
      keepsLinesOpen: job.isOrdered === true,
      countsOpen: job.countsOpen === true,
      locatesByOffset: job.ownsCheckpoint === true,
      onProblem: (outcome, item) => this.#committer.problem(() => problemOf(outcome, item)),
      ...(job.isVerbose && {
        onAttempts: (outcome, item) => this.#committer.showAttempts(attemptsOf(outcome, item)),
      }),
    });
  }

  /** Whether the source was read to its end, and everything of it and all retries have ended. */
  get hasReadAll(): boolean {
    return !this.#ledger.isReading && this.#ledger.isSettled;
  }

  async run(): Promise<void> {
    const { group } = this.#job;
    const { connections, flush, platform } = this.#context;
    if (group === undefined) return this.#runWith(undefined);
    const opened = connections.join(group, () => openJobConnections(this.#job, platform));
    flush.join(group, this);
    try {
      await this.#runWith(await opened);
    } finally {
      flush.leave(group, this);
      connections.leave(group);
    }
  }

  flush(): void {
    if (this.#ledger.uncommitted >= fewestTogether(this.#job)) this.#ledger.commit();
  }

  /** @param rows of all commits so far */
  #flushOthers(rows: number): void {
    const committed = rows - this.#committedRows;
    this.#committedRows = rows;
    const { group } = this.#job;
    if (group === undefined || committed < fewestTogether(this.#job)) return;
    this.#context.flush.flushOthers(group, this);
  }

  async #runWith(connections: WebhookConnections | undefined): Promise<void> {
    const target = (this.#target = await this.#openTarget(connections));
    for (const command of this.#earlyNotices.splice(0)) this.#applyNotice(command);
    const { signal } = this.#interruption;
    const { isOrdered } = this.#job;
    const { clock } = this.#context.platform;
    this.#turns = this.#joinTurns();
    try {
      await runPipeline({
        source: this.#source,
        isSelected: this.#job.changes ? () => true : selector(this.#job.selection),
        limit: Infinity,
        stamp: this.#job.stamp,
        rate: this.#rate(),
        roomToRead: () => this.#gate.room(),
        order: isOrdered ? new KeyedQueue<() => void>((start) => start(), maxHeld) : undefined,
        target,
        ledger: this.#ledger,
        clock,
        sleep: (ms) => sleep(ms, clock, signal),
        interrupted: signal,
      });
    } finally {
      this.#leaveTurns();
      if (this.#parser?.hasRead) this.#post({ kind: 'warnings', texts: this.#parser.warnings() });
      await target.close();
      this.#probeRequests.end();
      this.#leaseRequests.end();
      this.#ledger.finish(false);
      returnPrivateStore(this.#store);
    }
  }

  handle(command: WorkerCommand): void {
    if (command.kind === 'range') this.#source.push(command.range);
    else if (command.kind === 'durable') this.#committer.durable(command.rows);
    else if (command.kind === 'notice') this.#applyNotice(command);
    else if (command.kind === 'hold') this.#gate.hold(command.isHeld);
    else if (command.kind === 'leased') this.#leaseRequests.answer(command.queue, command.lease);
    else if (command.kind === 'probe') this.#probeRequests.answer(command.queue, command.isAllowed);
    else {
      if (command.kind === 'stop') this.#stop();
      this.#source.end();
    }
  }

  #joinTurns(): JobTurns | undefined {
    // Without a group the job shares its turns with nobody.
    const { leasesTurns, rate, group = Symbol() } = this.#job;
    if (!leasesTurns || rate === undefined) return undefined;
    return this.#context.turns.join(group, rate, (request) =>
      this.#leaseRequests.ask(undefined, request),
    );
  }

  #leaveTurns(): void {
    if (!this.#turns) return;
    const left = this.#turns.leave();
    this.#post({ kind: 'leftTurns', left, openRequests: this.#leaseRequests.leave(undefined) });
  }

  #stop(): void {
    this.#interruption.abort();
    this.#committer.stop();
    this.#turns?.stop();
    this.#gate.stop();
  }

  #applyNotice(command: QueueNotice): void {
    if (!this.#target) {
      this.#earlyNotices.push(command);
      return;
    }
    const { queue, notice } = command;
    this.#target.applyNotice?.(queue, notice);
    if (notice.kind === 'gone') this.#ledger.flush();
  }

  #openTarget(connections: WebhookConnections | undefined): Promise<Target> {
    const { platform } = this.#context;
    return openJobTarget(
      this.#job,
      { connections, platform },
      {
        leaseTurns: (queue, request) => this.#leaseRequests.ask(queue, request),
        mayProbe: (queue) => this.#probeRequests.ask(queue),
        onDown: (url, isDown, reason) => this.#post({ kind: 'down', url, isDown, reason }),
        onNotice: (queue, notice) => this.#post({ kind: 'notice', queue, notice }),
        onRefused: (reason) => this.#post({ kind: 'refused', reason }),
        onAttempt: (result, messageId) => this.#committer.attempt(result, messageId),
      },
    );
  }

  #rate(): Pick<Rate, 'turn'> | undefined {
    const { rate } = this.#job;
    if (this.#turns) return this.#turns;
    return rate === undefined ? undefined : new RateLimiter(rate, this.#context.platform.clock);
  }
}

const emptyCheckpoint: Checkpoint = { last: new Map(), open: [] };

const nothing = {
  counts: noCounts,
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
