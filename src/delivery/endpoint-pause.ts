import type { Clock } from '../clock.js';

export interface EndpointPauseOptions {
  readonly clock: Clock;
  /** The longest pause, in milliseconds. */
  readonly maxPauseMs: number;
  /**
   * Called with the end of the pause (milliseconds since 1970), again when it is extended, and with
   * undefined when it has ended.
   */
  readonly onChange?: ((untilMs: number | undefined) => void) | undefined;
}

/** A pause that is extended by less is not reported again. */
const minReportedExtensionMs = 1_000;

/** The pause of one endpoint, as requested by `Retry-After`. A shorter request does not cut it. */
export class EndpointPause {
  readonly #options: EndpointPauseOptions;
  /** By `Clock.monotonic()`, while it lasts. */
  #until: number | undefined;
  /** Its end as last reported, by the same clock. */
  #reportedUntil = -Infinity;
  #cancelEnd: (() => void) | undefined;
  #isClosed = false;

  constructor(options: EndpointPauseOptions) {
    this.#options = options;
  }

  get isActive(): boolean {
    return this.#until !== undefined;
  }

  /**
   * Pauses for `ms` from now. Returns the end (milliseconds since 1970) if that is worth telling others:
   * responses that arrive together ask for nearly the same pause, so only changes of 1 s or more are.
   */
  extend(ms: number): number | undefined {
    const { clock, maxPauseMs } = this.#options;
    const forMs = Math.min(ms, maxPauseMs);
    const until = clock.monotonic() + forMs;
    if (forMs <= 0 || until <= (this.#until ?? -Infinity) || this.#isClosed) return undefined;
    this.#endAt(until);
    return this.#report(until);
  }

  /** Its end, milliseconds since 1970; undefined when there is none. */
  get untilMs(): number | undefined {
    return this.#until === undefined ? undefined : this.#timeOfDay(this.#until);
  }

  /** Ends it at this time (milliseconds since 1970), unless it ends earlier. */
  endBy(timeMs: number): void {
    const { clock } = this.#options;
    const until = clock.monotonic() + Math.max(0, timeMs - clock.now());
    if (this.#until === undefined || until >= this.#until || this.#isClosed) return;
    this.#endAt(until);
    this.#reportedUntil = until;
    this.#options.onChange?.(this.#timeOfDay(until));
  }

  /** Stops the timer: it never ends. */
  close(): void {
    this.#isClosed = true;
    this.#cancelEnd?.();
  }

  #endAt(until: number): void {
    const { clock } = this.#options;
    this.#until = until;
    this.#cancelEnd?.();
    this.#cancelEnd = clock.after(until - clock.monotonic(), () => this.#end());
  }

  #report(until: number): number | undefined {
    if (until < this.#reportedUntil + minReportedExtensionMs) return undefined;
    this.#reportedUntil = until;
    const untilMs = this.#timeOfDay(until);
    this.#options.onChange?.(untilMs);
    return untilMs;
  }

  #timeOfDay(monotonic: number): number {
    const { clock } = this.#options;
    return Math.round(clock.now() + (monotonic - clock.monotonic()));
  }

  #end(): void {
    this.#until = undefined;
    this.#reportedUntil = -Infinity;
    this.#options.onChange?.(undefined);
  }
}
