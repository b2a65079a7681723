import { systemClock } from '../clock.js';
import { ScheduleClock } from '../delivery/schedule-clock.js';
import { UsageError } from '../errors.js';
import type { Event } from '../events/event.js';
import type { Estimate } from '../sources/spacing.js';
import type { TimelineOptions } from '../sources/timeline.js';
import { eventTimeMs } from '../events/event-time.js';
import { Histogram } from '../ledger/histogram.js';
import { durationText } from '../output/numbers.js';
import type { Schedule } from '../importer/pipeline.js';

/** How far a run with `--speed` deviated from the original timing of the events. */
export interface ScheduleLag {
  /** Events older than one before them, which were sent immediately. */
  readonly outOfOrder: number;
  /** How late events were sent, in milliseconds; null if none had a timestamp. */
  readonly lateMs: { readonly p50: number | null; readonly p99: number | null };
}

/** `--speed`: sends events with their original timing, by their timestamps. */
export class SpeedSchedule implements Schedule {
  readonly #options: { readonly factor: number; readonly maxWaitMs?: number };
  readonly #clock: ScheduleClock;
  readonly #late = new Histogram();
  /** How long the whole run takes, in milliseconds. */
  #lengthMs: number | undefined;
  #startedAt: number | undefined;

  private constructor(factor: number, maxWaitMs: number | undefined) {
    this.#options = { factor, ...(maxWaitMs !== undefined && { maxWaitMs }) };
    this.#clock = new ScheduleClock({ ...this.#options, clock: systemClock, late: this.#late });
  }

  /** @throws UsageError for `--max-wait` without `--speed`. */
  static from({ speed, maxWait }: { speed?: number; maxWait?: number }): SpeedSchedule | undefined {
    if (speed === undefined && maxWait !== undefined) {
      throw new UsageError('--max-wait limits the gaps of --speed; use --speed 1x with it');
    }
    return speed === undefined ? undefined : new SpeedSchedule(speed, maxWait);
  }

  waitFor(event: Event): number {
    this.#startedAt ??= systemClock.monotonic();
    return this.#clock.waitFor(eventTimeMs(event));
  }

  granted(): void {
    this.#clock.granted();
  }

  /** Reports the expected duration. */
  async announce(
    estimateWith: (options: TimelineOptions) => Promise<Estimate | undefined>,
    report: { say(text: string): void },
  ): Promise<void> {
    const { factor } = this.#options;
    if (factor === Infinity) return;
    const estimate = await estimateWith(this.#options);
    this.#lengthMs = estimate?.ms;
    const duration = estimate ? durationText(estimate.ms / 1000) : 'duration unknown';
    const about = estimate && !estimate.isExact ? 'about ' : '';
    report.say(`replaying at ${factor}x: ${about}${duration}`);
  }

  /**
   * Milliseconds until the last event is due, for a run that began with the first one; null if unknown,
   * undefined without a schedule.
   */
  leftMs(isResumed: boolean): number | null | undefined {
    if (this.#options.factor === Infinity) return undefined;
    if (this.#lengthMs === undefined || isResumed) return null;
    const now = systemClock.monotonic();
    return Math.max(0, this.#lengthMs - (now - (this.#startedAt ?? now)));
  }

  summary(): ScheduleLag {
    const { outOfOrder } = this.#clock;
    return {
      outOfOrder,
      lateMs: { p50: this.#late.percentile(0.5), p99: this.#late.percentile(0.99) },
    };
  }
}
