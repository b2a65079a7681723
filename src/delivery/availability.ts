import type { EndpointQueue } from './endpoint-queue.js';

/** Whether the URLs of a target accept events now. Those that are gone fail them, and do not count. */
export class Availability {
  readonly #queues: readonly EndpointQueue[];

  constructor(queues: readonly EndpointQueue[]) {
    this.#queues = queues;
  }

  /** Whether each URL is down or paused, so that nothing but probes should be sent. */
  get isUnavailable(): boolean {
    let isUnavailable = false;
    for (const queue of this.#queues) {
      if (queue.isHeld) isUnavailable = true;
      else if (!queue.gone) return false;
    }
    return isUnavailable;
  }

  /** Whether some URLs are down or paused, and others are not. */
  get isPartial(): boolean {
    return !this.isUnavailable && this.#queues.some((queue) => queue.isHeld);
  }

  /** Whether a URL is down and the next event that is sent probes it at once. */
  get wantsProbe(): boolean {
    return this.#queues.some((queue) => queue.wantsProbe);
  }

  /** The URLs of which that holds, a bit for each: bit 0 is the first one. */
  get probesWanted(): number {
    return this.#queues.reduce((urls, queue, i) => (queue.wantsProbe ? urls | (1 << i) : urls), 0);
  }

  /** Whether that probe should be an event that was not attempted before. */
  get wantsFreshProbe(): boolean {
    return this.#queues.some((queue) => queue.wantsFreshProbe);
  }
}
