export interface TimelineOptions {
  /** How many times faster than the events happened; Infinity never waits. */
  readonly factor: number;
  /** The longest wait between two events, in real milliseconds; without it gaps are kept. */
  readonly maxWaitMs?: number | undefined;
}

/**
 * The time of each event, by the events' own timestamps.
 *
 * Sums are kept in event time, in whole milliseconds: adding up quotients would drift.
 */
export class Timeline {
  readonly #factor: number;
  readonly #maxGap: number;
  #first: number | undefined;
  #newest = -Infinity;
  /** Total time cut off gaps by the longest wait. */
  #cut = 0;

  constructor({ factor, maxWaitMs = Infinity }: TimelineOptions) {
    this.#factor = factor;
    this.#maxGap = factor === Infinity ? Infinity : maxWaitMs * factor;
  }

  /**
   * Adds the next event by its timestamp (milliseconds since 1970). Returns how many real
   * milliseconds after the first one it is due; undefined if it is older than one before it.
   */
  place(timestampMs: number): number | undefined {
    if (timestampMs < this.#newest) return undefined;
    this.#first ??= this.#newest = timestampMs;
    this.#cut += Math.max(0, timestampMs - this.#newest - this.#maxGap);
    this.#newest = timestampMs;
    return this.lengthMs;
  }

  /** From the first event to the newest, in real milliseconds; 0 before the first. */
  get lengthMs(): number {
    if (this.#first === undefined) return 0;
    return (this.#newest - this.#first - this.#cut) / this.#factor;
  }
}
