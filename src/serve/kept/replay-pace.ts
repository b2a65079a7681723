import type { Clock } from '../../clock.js';
import { sleep } from '../../delivery/sleep.js';
import type { ReadBlock } from './kept-events.js';

export interface ReplayPaceOptions {
  readonly clock: Clock;
  /** Which part of the time since it was last asked the event loop was busy, 0 to 1. */
  readonly utilization: () => number;
}

const windowMs = 250;
/** The rate of replays as a share of that of live events: with a sixth, live events are slowed by less than a fifth. */
const share = 1 / 6;
/** With fewer live events than this share of the replayed ones, replays are not limited: no live one waits for long. */
const few = 1 / 20;
/** Above this utilization events slow each other: the receivers and the store need processors, too. */
const busyFrom = 0.7;
const slower = 0.7;
const faster = 1.25;
/** The events that may wait, as seconds of what replays send: to queue, send and store them takes about half as long. */
const waitingSeconds = 0.2;
const waiting = { atLeast: 256, atMost: 2_048 };

/** After this many events or bytes were read, other work is done, for longer while there are live events. */
const readPerTurn = { events: 512, bytes: 1024 * 1024 };
const turnMs = 1;
const busyTurnMs = 20;

/** Limits the rate of replays while live events are accepted and the process is busy. */
export class ReplayPace {
  readonly #options: ReplayPaceOptions;
  #since: number;
  #live = 0;
  #replayed = 0;
  #replayedPerSecond = 0;
  #perSecond = Infinity;
  /** When the next events may be queued, by the monotonic clock. */
  #freeAt = 0;

  constructor(options: ReplayPaceOptions) {
    this.#options = options;
    this.#since = options.clock.monotonic();
  }

  addLive(events: number): void {
    this.#live += events;
  }

  addReplayed(events: number): void {
    this.#replayed += events;
    const now = this.#options.clock.monotonic();
    this.#freeAt = Math.max(this.#freeAt, now) + (events / this.perSecond) * 1_000;
  }

  /** The highest rate of all replays together; Infinity while they slow nothing. */
  get perSecond(): number {
    this.#update();
    return this.#perSecond;
  }

  /** How long to wait until more may be queued. */
  get waitMs(): number {
    if (this.perSecond === Infinity) return 0;
    return Math.max(0, this.#freeAt - this.#options.clock.monotonic());
  }

  /** How many events may wait for a first attempt when more are queued: live events wait behind no more than these. */
  get maxWaiting(): number {
    this.#update();
    const { atLeast, atMost } = waiting;
    const most = Math.round(this.#replayedPerSecond * waitingSeconds);
    return Math.min(Math.max(most, atLeast), atMost);
  }

  /**
   * Returns a function to be awaited after each block that was read, so that other work is done meanwhile. It resolves
   * to whether to go on.
   */
  turns(mayContinue: () => boolean, signal: AbortSignal): (block: ReadBlock) => Promise<boolean> {
    let left = { ...readPerTurn };
    return async ({ events }) => {
      left.events -= Math.max(events.length, 1);
      for (const { event } of events) left.bytes -= event.bytes.length;
      if (left.events > 0 && left.bytes > 0) return true;
      left = { ...readPerTurn };
      const ms = this.perSecond === Infinity ? turnMs : busyTurnMs;
      await sleep(ms, this.#options.clock, signal);
      return mayContinue();
    };
  }

  #update(): void {
    const now = this.#options.clock.monotonic();
    const seconds = (now - this.#since) / 1_000;
    if (seconds * 1_000 < windowMs) return;
    const [live, replayed] = [this.#live / seconds, this.#replayed / seconds];
    const before = this.#perSecond;
    this.#perSecond = this.#next(live, replayed, this.#options.utilization());
    const leftMs = this.#freeAt - now;
    // The wait for what was queued at the earlier rate is converted to the rate of now.
    if (leftMs > 0) this.#freeAt = now + (leftMs * before) / this.#perSecond;
    this.#since = now;
    this.#replayedPerSecond = replayed;
    this.#live = this.#replayed = 0;
  }

  #next(live: number, replayed: number, utilization: number): number {
    if (live <= replayed * few) return Infinity;
    const limited = Math.min(this.#perSecond, replayed);
    if (utilization >= busyFrom) return Math.max(live * share, limited * slower);
    return this.#perSecond * faster;
  }
}
