import type { Clock } from '../../clock.js';
import { Ramp } from './ramp.js';

export interface RecoveryOptions {
  readonly clock: Clock;
  /** All URLs of the destination. */
  readonly urls: readonly string[];
  /** How many events wait for it. */
  readonly waiting: () => number;
}

/** How many events may be sent at once even after an outage. */
const smallBacklog = 1_000;
/**
 * A shorter outage does not begin another ramp while the backlog is not drained: it is that of an endpoint
 * with a rate limit, which would never get more than the beginning of a ramp.
 */
const shortOutageMs = 10_000;

/**
 * Knows which URLs of a destination are down or paused. When all were, or when the service starts with a
 * backlog, the first response begins a ramp: before, it is not known that the outage has ended.
 */
export class Recovery {
  readonly #options: RecoveryOptions;
  readonly #down = new Set<string>();
  readonly #paused = new Map<string, number>();
  #wasOut = false;
  /** Since when; by the monotonic clock. */
  #outSince = -Infinity;
  /** Kept until the backlog is drained, also when it is over. */
  #ramp: Ramp | undefined;

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  get down(): readonly string[] {
    return [...this.#down];
  }

  /** The end of the pause of each paused URL, milliseconds since 1970. */
  get paused(): ReadonlyMap<string, number> {
    return this.#paused;
  }

  /** When the next event may be sent, by the monotonic clock; in the past if it may be sent now. */
  get nextAt(): number {
    return this.#ramp && !this.#ramp.isOver ? this.#ramp.nextAt : 0;
  }

  /** Sending begins: what waits by now is the backlog of a stop, or of a change. */
  start(): void {
    this.#wasOut = this.#hasBacklog();
  }

  noteDown(url: string, isDown: boolean): void {
    if (isDown) this.#down.add(url);
    else this.#down.delete(url);
    this.#noteOutage();
  }

  notePause(url: string, untilMs: number | undefined): void {
    if (untilMs === undefined) this.#paused.delete(url);
    else this.#paused.set(url, untilMs);
    this.#noteOutage();
  }

  /** An attempt ended, and is not to be retried. Called after `noteDown` of the same attempt. */
  noteResponse(): void {
    if (!this.#wasOut || this.isUnavailable) return;
    this.#wasOut = false;
    const { clock } = this.#options;
    const isShort = clock.monotonic() - this.#outSince < shortOutageMs;
    if (this.#ramp && isShort) return;
    this.#ramp = this.#hasBacklog() ? new Ramp(clock) : undefined;
  }

  /** An event is sent. */
  noteSent(): void {
    if (this.#ramp && !this.#ramp.isOver) this.#ramp.count();
  }

  /** Nothing is left to send now. The ramp stays if many retries are not due yet. */
  noteEmpty(): void {
    if (this.#ramp && !this.#hasBacklog()) this.#ramp = undefined;
  }

  #noteOutage(): void {
    if (this.#wasOut || !this.isUnavailable) return;
    this.#wasOut = true;
    this.#outSince = this.#options.clock.monotonic();
  }

  /** Whether all URLs are down or paused. */
  get isUnavailable(): boolean {
    return this.#options.urls.every((url) => this.#down.has(url) || this.#paused.has(url));
  }

  #hasBacklog(): boolean {
    return this.#options.waiting() > smallBacklog;
  }
}
