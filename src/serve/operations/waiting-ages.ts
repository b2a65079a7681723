import type { Clock } from '../../clock.js';
import type { Queued } from '../store/queued-blocks.js';

/**
 * How long the oldest event of each destination has waited. When the time of day was set back, an event
 * seems to be from the future: its age is then at least the time since it was first seen as the oldest.
 */
export class WaitingAges {
  readonly #clock: Clock;
  /** The oldest events of the last reading, and since when they are the oldest by the monotonic clock. */
  #seen: ReadonlyMap<string, { readonly id: number; readonly at: number }> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The ages in milliseconds, by destination; without those for which nothing waits. */
  read(oldest: readonly (readonly [string, Queued | undefined])[]): ReadonlyMap<string, number> {
    const now = this.#clock.now();
    const at = this.#clock.monotonic();
    const ages = new Map<string, number>();
    const seen = new Map<string, { readonly id: number; readonly at: number }>();
    for (const [name, event] of oldest) {
      if (!event) continue;
      const before = this.#seen.get(name);
      const since = before?.id === event.id ? before : { id: event.id, at };
      seen.set(name, since);
      ages.set(name, Math.max(now - event.queuedAt, at - since.at));
    }
    this.#seen = seen;
    return ages;
  }
}
