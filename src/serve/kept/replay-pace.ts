import type { Clock } from '../../clock.js';
import { sleep } from '../../delivery/sleep.js';
import type { ReadBlock } from './kept-events.js';

export interface ReplayPaceOptions {
  readonly clock: Clock;
  /** Which part of the time since it was last asked the event loop was busy, 0 to 1. */
  readonly utilization: () => number;
}

const windowMs = 250;
/** Of live events: replays that are a sixth of them take less than a fifth of their rate. */
const share = 1 / 6;
/** With fewer live events than this part of the replayed ones, none of them waits for long. */
const few = 1 / 20;
/** From here on, events slow each other: the receivers and the store need processors, too. */
const busyFrom = 0.7;
const slower = 0.7;
const faster = 1.25;
/** So much of what replays send in a second may wait: it takes about half as long to be queued, sent and stored. */
const waitingSeconds = 0.2;
const waiting = { atLeast: 256, atMost: 2_048 };

/** After so many events were read, or bytes, others get their turn: a longer one where live events need it. */
const readPerTurn = { events: 512, bytes: 1024 * 1024 };
const turnMs = 1;
const busyTurnMs = 20;

/** How fast replays may be beside the live events that this process accepts: as fast as it can, unless it is busy. */
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

  /** Of all replays, at most; Infinity while they slow nobody. */
  get perSecond(): number {
    this.#look();
    return this.#perSecond;
  }

  /** Until more may be queued. */
  get waitMs(): number {
    if (this.perSecond === Infinity) return 0;
    return Math.max(0, this.#freeAt - this.#options.clock.monotonic());
  }

  /** What may wait for a first attempt before more is queued: live events are behind no more than that. */
  get mostWaiting(): number {
    this.#look();
    const { atLeast, atMost } = waiting;
    const most = Math.round(this.#replayedPerSecond * waitingSeconds);
    return Math.min(Math.max(most, atLeast), atMost);
  }

  /**
   * Returns what is to be awaited after each block that was read, which gives others their turn. It resolves to whether to
   * go on.
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

  #look(): void {
    const now = this.#options.clock.monotonic();
    const seconds = (now - this.#since) / 1_000;
    if (seconds * 1_000 < windowMs) return;
    const [live, replayed] = [this.#live / seconds, this.#replayed / seconds];
    const before = this.#perSecond;
    this.#perSecond = this.#next(live, replayed, this.#options.utilization());
    const leftMs = this.#freeAt - now;
    // What was queued takes as long as it does by the pace of now.
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
