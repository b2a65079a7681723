import type { Clock } from '../clock.js';
import { UsageError } from '../errors.js';
import { quoted } from '../quoted.js';
import { Timeline, type TimelineOptions } from '../sources/timeline.js';

export interface ReplayClockOptions extends TimelineOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Records the lag of each scheduled event, in milliseconds. */
  readonly late?: { add(ms: number): void } | undefined;
}

/**
 * Replays events with their original timing, on an absolute schedule: a delay of one event does not shift
 * the others, and late events are sent at once. Nothing is dropped.
 *
 * An event older than one before it, or without a timestamp, is not scheduled: it is sent right after
 * its predecessor.
 */
export class ScheduleClock {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #late: { add(ms: number): void } | undefined;
  readonly #timeline: Timeline;
  #startedAt: number | undefined;
  /** The scheduled time of the last event passed to `waitFor`, if it has one. */
  #plannedAt: number | undefined;
  #outOfOrder = 0;

  constructor(options: ReplayClockOptions) {
    this.#clock = options.clock;
    // Without a schedule there is no lag.
    this.#late = options.factor === Infinity ? undefined : options.late;
    this.#timeline = new Timeline(options);
  }

  /** Number of events older than one before them. */
  get outOfOrder(): number {
    return this.#outOfOrder;
  }

  /** Milliseconds that the next event has to wait, by its timestamp; 0 is now. */
  waitFor(timestampMs: number | undefined): number {
    this.#plannedAt = undefined;
    if (timestampMs === undefined) return 0;
    const offset = this.#timeline.place(timestampMs);
    if (offset === undefined) {
      this.#outOfOrder++;
      return 0;
    }
    const now = this.#clock.monotonic();
    this.#startedAt ??= now;
    this.#plannedAt = this.#startedAt + offset;
    return Math.max(0, this.#plannedAt - now);
  }

  /** Records the lag of the last event passed to `waitFor`, which is sent now. */
  granted(): void {
    if (this.#plannedAt === undefined) return;
    this.#late?.add(Math.max(0, this.#clock.monotonic() - this.#plannedAt));
    this.#plannedAt = undefined;
  }
}

/**
 * `1x`, `10x`, `0.5x` → how many times faster than the events happened; `max` → Infinity.
 * @throws UsageError for anything else.
 */
export function parseSpeed(text: string): number {
  if (text === 'max') return Infinity;
  const factor = Number(/^(\d+(?:\.\d+)?)x$/.exec(text)?.[1]);
  if (factor > 0 && factor < Infinity) return factor;
  throw new UsageError(
    `${quoted(text, 'the value')} is not a valid speed; use 1x, 10x, 0.5x or max.`,
  );
}
