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
    this.#until = until;
    this.#cancelEnd?.();
    this.#cancelEnd = clock.after(forMs, () => this.#end());
    return this.#report(until);
  }

  /** Stops the timer: it never ends. */
  close(): void {
    this.#isClosed = true;
    this.#cancelEnd?.();
  }

  #report(until: number): number | undefined {
    if (until < this.#reportedUntil + minReportedExtensionMs) return undefined;
    this.#reportedUntil = until;
    const { clock, onChange } = this.#options;
    const untilMs = Math.round(clock.now() + (until - clock.monotonic()));
    onChange?.(untilMs);
    return untilMs;
  }

  #end(): void {
    this.#until = undefined;
    this.#reportedUntil = -Infinity;
    this.#options.onChange?.(undefined);
  }
}
