/** How a destination is at one moment. */
export interface DestinationSample {
  /** Whether anything is sent to it. */
  readonly isEnabled: boolean;
  /** Events that wait, including those in flight and those that wait for a retry. */
  readonly waiting: number;
  /** Events that were delivered, and that became dead letters, since any moment: only changes count. */
  readonly delivered: number;
  readonly failed: number;
}

export type Availability = 'up' | 'down';

/** A longer step is that of a process that was stopped, or of a machine that was asleep: nothing was attempted. */
const maxStepMs = 10_000;
/** Two failures count as one outage when no more than this is between them without anything that waits. */
const maxIdleMs = 60_000;

/**
 * Tells whether a destination is down: nothing was delivered for some time, while something waited. Only the monotonic
 * clock counts, and only while it is looked at.
 */
export class OutageWatch {
  #before: DestinationSample | undefined;
  #lookedAt: number | undefined;
  #stall: Stall | undefined;
  #current: { readonly state: Availability; readonly since: number } | undefined;
  #wasDownForMs: number | undefined;

  /** Undefined as long as nothing is known: nothing was delivered, and nothing has waited long enough. */
  get state(): Availability | undefined {
    return this.#current?.state;
  }

  /** Since when that is so, by the monotonic clock: since the delivery, or since something waits in vain. */
  get since(): number | undefined {
    return this.#current?.since;
  }

  /** How long the last outage was, if it was seen from its beginning on to its end. */
  get wasDownForMs(): number | undefined {
    return this.#wasDownForMs;
  }

  /** @param now by the monotonic clock */
  observe(sample: DestinationSample, afterMs: number, now: number): void {
    const before = this.#before;
    const stepMs = this.#step(now);
    this.#before = sample;
    if (!sample.isEnabled) {
      this.#stall = this.#current = undefined;
      return;
    }
    if (before && sample.delivered !== before.delivered) this.#noteDelivery(now);
    // What fails at once waits for a few milliseconds, which no look may see.
    const isBusy = sample.waiting > 0 || (before && sample.failed !== before.failed);
    if (isBusy) this.#noteStall(afterMs, now, stepMs);
    else this.#noteIdle(Math.min(afterMs, maxIdleMs), stepMs);
  }

  /** In place of `observe` while the service itself cannot send: this time says nothing about the destination. */
  skip(now: number): void {
    this.#step(now);
  }

  #step(now: number): number {
    const stepMs = Math.min(now - (this.#lookedAt ?? now), maxStepMs);
    this.#lookedAt = now;
    return stepMs;
  }

  #noteDelivery(now: number): void {
    this.#stall = undefined;
    if (this.state === 'up') return;
    this.#wasDownForMs = this.state === 'down' ? now - this.since! : undefined;
    this.#current = { state: 'up', since: now };
  }

  #noteStall(afterMs: number, now: number, stepMs: number): void {
    const stall = (this.#stall ??= { since: now, lastedMs: -stepMs, idleMs: 0 });
    stall.lastedMs += stepMs;
    stall.idleMs = 0;
    if (stall.lastedMs < afterMs || this.state === 'down') return;
    this.#current = { state: 'down', since: stall.since };
  }

  #noteIdle(maxMs: number, stepMs: number): void {
    if (!this.#stall) return;
    this.#stall.lastedMs += stepMs;
    this.#stall.idleMs += stepMs;
    if (this.#stall.idleMs >= maxMs) this.#stall = undefined;
  }
}

/** Something waits, and nothing was delivered since. */
interface Stall {
  /** By the monotonic clock. */
  readonly since: number;
  lastedMs: number;
  /** For how long nothing has waited. */
  idleMs: number;
}
