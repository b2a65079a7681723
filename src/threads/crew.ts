import type { Range } from '../events/range.js';
import { UsageError } from '../errors.js';
import { DownUrls } from './down-urls.js';
import { WorkerHandle } from './hand.js';
import type { ImportCoordinator } from './keeper.js';
import type { Job, WorkerReport } from './messages.js';

export interface WorkerPoolOptions {
  /** One for each thread. */
  readonly jobs: readonly Job[];
  readonly keeper: ImportCoordinator;
  /** The inputs, in ranges of whole lines. */
  readonly ranges: AsyncGenerator<Range>;
  /** Aborted at the first Ctrl-C: nothing new is sent then. */
  readonly interrupted: AbortSignal;
  /** Told when a URL is taken to be down, and when it answers again. */
  readonly onDown: (url: string, isDown: boolean) => void;
}

/**
 * The threads of one import: each is given ranges as it wants them, and tells the keeper what became of
 * their events; what one learns of a URL, all learn.
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  #hands: readonly WorkerHandle[] = [];
  readonly #down = new DownUrls();
  #isStopped = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /**
   * Resolves when every thread has ended, and all that they told has been heard.
   * @throws UsageError when they cannot all be started; what the first of them that failed has thrown,
   * or the reading of the inputs.
   */
  async run(): Promise<void> {
    const { interrupted, ranges } = this.#options;
    const stop = (): void => this.stop();
    interrupted.addEventListener('abort', stop);
    try {
      this.#hands = await this.#start();
      if (interrupted.aborted || this.#isStopped) stop();
      const feeds = this.#hands.map((hand, thread) => this.#feed(hand, thread));
      await allEnded([...this.#hands.map(({ ended }) => ended), ...feeds], stop);
    } finally {
      await ranges.return(undefined);
      interrupted.removeEventListener('abort', stop);
    }
  }

  /** Sends nothing new; what is in flight may finish. */
  stop(): void {
    this.#isStopped = true;
    for (const hand of this.#hands) hand.stop();
  }

  /** So many rows of a thread are durable. */
  durable(thread: number, rows: number): void {
    this.#hands[thread]?.tell({ kind: 'durable', rows });
  }

  async #start(): Promise<WorkerHandle[]> {
    const hands: WorkerHandle[] = [];
    try {
      for (const [thread, job] of this.#options.jobs.entries())
        hands.push(new WorkerHandle(job, (report) => this.#hear(report, thread)));
      return hands;
    } catch (cause) {
      await Promise.all(hands.map((hand) => hand.terminate()));
      throw notStarted(hands.length + 1, cause as NodeJS.ErrnoException);
    }
  }

  async #feed(hand: WorkerHandle, thread: number): Promise<void> {
    const { ranges, keeper } = this.#options;
    while (await hand.wants()) {
      const next = await ranges.next();
      if (next.done || this.#isStopped) break;
      keeper.give(next.value, thread);
      hand.give(next.value);
    }
    hand.end();
  }

  #hear(report: WorkerReport, thread: number): void {
    const { keeper } = this.#options;
    if (report.kind === 'commit') keeper.take(report, thread);
    else if (report.kind === 'learnt') this.#spread(report, thread);
    else if (report.kind === 'down') this.#heedDown(report, thread);
  }

  #spread({ lane, news }: Extract<WorkerReport, { kind: 'learnt' }>, from: number): void {
    this.#hands.forEach((hand, thread) => {
      if (thread !== from) hand.tell({ kind: 'learn', lane, news });
    });
  }

  #heedDown({ url, isDown }: Extract<WorkerReport, { kind: 'down' }>, thread: number): void {
    if (this.#down.note(url, isDown, thread)) this.#options.onDown(url, isDown);
  }
}

function notStarted(thread: number, cause: NodeJS.ErrnoException): UsageError {
  const reason = typeof cause.code === 'string' ? cause.code : cause.message;
  const message = `worker thread ${thread} could not be started (${reason}); use a smaller --threads`;
  return new UsageError(message, 'threads_not_started', { cause });
}

/** Waits for all of them, also when some fail. @throws what the first one that failed has thrown. */
async function allEnded(works: readonly Promise<void>[], onFailure: () => void): Promise<void> {
  const failures: unknown[] = [];
  const note = (error: unknown): void => {
    failures.push(error);
    onFailure();
  };
  await Promise.all(works.map((work) => work.catch(note)));
  if (failures.length > 0) throw failures[0] as Error;
}
