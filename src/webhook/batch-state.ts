import type { DeliveryState } from '../delivery/delivery.js';
import type { SharedOutcome } from '../delivery/outcome.js';
import type { Semaphore } from '../delivery/semaphore.js';
import type { EventBatch } from './event-batch.js';

/** The events of a posted batch, as the semaphore counts them. */
export class BatchState {
  readonly #batch: EventBatch;
  readonly #semaphore: Semaphore;
  #held: Exclude<DeliveryState, 'ended'> = 'active';
  /** Whether its events have their outcome. */
  isReported = false;
  #isEnded = false;

  constructor(batch: EventBatch, semaphore: Semaphore) {
    this.#batch = batch;
    this.#semaphore = semaphore;
  }

  /** Its delivery has a new state. If that is the end, and it was not reported, `report` or `handOver` follows. */
  move(to: DeliveryState): void {
    if (to === 'waiting') this.#batch.detach();
    if (to !== 'ended') this.#count(to);
    else if (this.isReported) this.#end();
    else this.#isEnded = true;
  }

  /** Ends each event, also where requests to other URLs go on. */
  report(outcome: SharedOutcome): void {
    this.isReported = true;
    if (this.#isEnded) this.#end();
    this.#batch.report(outcome);
  }

  /** Other batches have its events from now on. */
  handOver(): void {
    this.#count('active');
  }

  #count(to: Exclude<DeliveryState, 'ended'>): void {
    this.#batch.events.forEach(() => this.#semaphore.move(this.#held, to));
    this.#held = to;
  }

  #end(): void {
    for (const { outgoing } of this.#batch.events) {
      this.#semaphore.move(this.#held, 'ended');
      outgoing.onEnded?.();
    }
  }
}
