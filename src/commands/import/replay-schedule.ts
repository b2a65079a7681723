import { systemClock } from '../../clock.js';
import { ReplayClock } from '../../delivery/replay-clock.js';
import { UsageError } from '../../errors.js';
import type { Event } from '../../events/event.js';
import type { Input } from '../../input/input.js';
import { estimateDuration } from '../../input/spacing.js';
import { timestampMs } from '../../events/timestamp.js';
import { Histogram } from '../../ledger/histogram.js';
import { durationText } from '../../output/progress.js';
import type { Pacer } from '../../importer/pipeline.js';
import type { ImportFlags } from './flags.js';

/** How true a replay was to the events' own spacing. */
export interface ReplayLag {
  /** Events that were older than one before them: they went at once. */
  readonly outOfOrder: number;
  /** How late events went, in milliseconds; null when there were none with a moment of their own. */
  readonly lateMs: { readonly p50: number | null; readonly p99: number | null };
}

/** `--speed`: events go at their own spacing, by their timestamps. */
export class ReplaySchedule implements Pacer {
  readonly #options: { readonly factor: number; readonly maxWaitMs?: number };
  readonly #speed: ReplayClock;
  readonly #late = new Histogram();

  private constructor(factor: number, maxWaitMs: number | undefined) {
    this.#options = { factor, ...(maxWaitMs !== undefined && { maxWaitMs }) };
    this.#speed = new ReplayClock({ ...this.#options, clock: systemClock, late: this.#late });
  }

  /** @throws UsageError for `--max-wait` alone: nothing waits without `--speed`. */
  static from({ speed, maxWait }: ImportFlags): ReplaySchedule | undefined {
    if (speed === undefined && maxWait !== undefined) {
      throw new UsageError('--max-wait caps the gaps of --speed; give --speed 1x, too');
    }
    return speed === undefined ? undefined : new ReplaySchedule(speed, maxWait);
  }

  waitFor(event: Event): number {
    return this.#speed.waitFor(timestampMs(event.value.timestamp));
  }

  granted(): void {
    this.#speed.granted();
  }

  /** Says how long it will take, before it starts. */
  async announce(
    inputs: readonly Input[],
    isSelected: (event: Event) => boolean,
    report: { say(text: string): void },
  ): Promise<void> {
    const { factor } = this.#options;
    if (factor === Infinity) return;
    const estimate = await estimateDuration(inputs, { ...this.#options, isSelected });
    const took = estimate ? durationText(estimate.ms / 1000) : 'an unknown time';
    const about = estimate && !estimate.isExact ? 'about ' : '';
    report.say(`at ${factor}x of the events' own speed this takes ${about}${took}`);
  }

  summary(): ReplayLag {
    const { outOfOrder } = this.#speed;
    return {
      outOfOrder,
      lateMs: { p50: this.#late.percentile(0.5), p99: this.#late.percentile(0.99) },
    };
  }
}
