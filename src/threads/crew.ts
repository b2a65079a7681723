import type { Range } from '../events/range.js';
import { DownUrls } from './down-urls.js';
import { Hand } from './hand.js';
import type { Keeper } from './keeper.js';
import type { Job, Report } from './messages.js';

export interface CrewOptions {
  /** One for each thread. */
  readonly jobs: readonly Job[];
  readonly keeper: Keeper;
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
export class Crew {
  readonly #options: CrewOptions;
  readonly #hands: readonly Hand[];
  readonly #down = new DownUrls();
  #isStopped = false;

  constructor(options: CrewOptions) {
    this.#options = options;
    this.#hands = options.jobs.map(
      (job, thread) => new Hand(job, (report) => this.#hear(report, thread)),
    );
  }

  /**
   * Resolves when every thread has ended, and all that they told has been heard.
   * @throws what the first of them that failed has thrown, or the reading of the inputs.
   */
  async run(): Promise<void> {
    const { interrupted, ranges } = this.#options;
    const stop = (): void => this.stop();
    interrupted.addEventListener('abort', stop);
    if (interrupted.aborted) stop();
    try {
      const feeds = this.#hands.map((hand, thread) => this.#feed(hand, thread));
      await allEnded([...this.#hands.map(({ ended }) => ended), ...feeds], stop);
    } finally {
      await ranges.return(undefined);
      interrupted.removeEventListener('abort', stop);
    }
  }

  /** Sends nothing new; what is in flight may finish. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    for (const hand of this.#hands) hand.stop();
  }

  /** A thread that waited for rows to become durable may go on. */
  letIn(thread: number): void {
    this.#hands[thread]?.tell({ kind: 'room' });
  }

  async #feed(hand: Hand, thread: number): Promise<void> {
    const { ranges, keeper } = this.#options;
    while (await hand.wants()) {
      const next = await ranges.next();
      if (next.done || this.#isStopped) break;
      keeper.give(next.value, thread);
      hand.give(next.value);
    }
    hand.end();
  }

  #hear(report: Report, thread: number): void {
    const { keeper } = this.#options;
    if (report.kind === 'commit') keeper.take(report, thread);
    else if (report.kind === 'hurry') keeper.commit();
    else if (report.kind === 'learnt') this.#spread(report, thread);
    else if (report.kind === 'down') this.#heedDown(report, thread);
  }

  #spread({ lane, news }: Extract<Report, { kind: 'learnt' }>, from: number): void {
    this.#hands.forEach((hand, thread) => {
      if (thread !== from) hand.tell({ kind: 'learn', lane, news });
    });
  }

  #heedDown({ url, isDown }: Extract<Report, { kind: 'down' }>, thread: number): void {
    if (this.#down.note(url, isDown, thread)) this.#options.onDown(url, isDown);
  }
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
