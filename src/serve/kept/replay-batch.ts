import type { Clock } from '../../clock.js';
import { detachEvent } from '../../events/text-event.js';
import type { ReadEvent } from './block.js';

export interface BatchLimits {
  readonly events: number;
  readonly bytes: number;
}

/** Events of several blocks that are queued together. */
export class ReplayBatch {
  readonly #clock: Clock;
  readonly #limits: BatchLimits;
  #events: ReadEvent[] = [];
  #bytes = 0;
  #startedAt = 0;

  constructor(clock: Clock, limits: BatchLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  add(event: ReadEvent): void {
    if (this.#events.length === 0) this.#startedAt = this.#clock.monotonic();
    // Its bytes are valid only until the next block is read.
    this.#events.push({ ...event, event: detachEvent(event.event) });
    this.#bytes += event.event.bytes.length;
  }

  get isFull(): boolean {
    return this.#events.length >= this.#limits.events || this.#bytes >= this.#limits.bytes;
  }

  /** How long its first event waits; 0 if it has none. */
  get ageMs(): number {
    return this.#events.length === 0 ? 0 : this.#clock.monotonic() - this.#startedAt;
  }

  take(): readonly ReadEvent[] {
    const events = this.#events;
    this.#events = [];
    this.#bytes = 0;
    return events;
  }
}
