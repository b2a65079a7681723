export interface TimelineOptions {
  /** How many times faster than the events happened; Infinity knows no waits. */
  readonly factor: number;
  /** The longest wait between two events, in real milliseconds; without it gaps stay as they are. */
  readonly maxWaitMs?: number | undefined;
}

/**
 * Where each event of a replay stands on its time line, by the events' own timestamps.
 *
 * Sums are kept in the time of the events, whole milliseconds: adding up quotients would drift.
 */
export class Timeline {
  readonly #factor: number;
  readonly #longestGap: number;
  #first: number | undefined;
  #newest = -Infinity;
  /** What the longest wait has cut off the gaps so far. */
  #cut = 0;

  constructor({ factor, maxWaitMs = Infinity }: TimelineOptions) {
    this.#factor = factor;
    this.#longestGap = factor === Infinity ? Infinity : maxWaitMs * factor;
  }

  /**
   * Takes the next event by its timestamp (milliseconds since 1970), and returns how many real
   * milliseconds after the first one it is to go; undefined when it is older than one before it.
   */
  place(timestampMs: number): number | undefined {
    if (timestampMs < this.#newest) return undefined;
    this.#first ??= this.#newest = timestampMs;
    this.#cut += Math.max(0, timestampMs - this.#newest - this.#longestGap);
    this.#newest = timestampMs;
    return this.lengthMs;
  }

  /** From the first event to the newest, in real milliseconds; 0 before the first. */
  get lengthMs(): number {
    if (this.#first === undefined) return 0;
    return (this.#newest - this.#first - this.#cut) / this.#factor;
  }
}
