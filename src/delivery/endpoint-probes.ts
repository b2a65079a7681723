import type { Clock } from '../clock.js';

/** How long after a refusal the next probe may be asked for. */
const askAgainMs = 1_000;

/** When the next probe of an endpoint that is down may be sent; several processes may share the probes. */
export class EndpointProbes {
  readonly #clock: Clock;
  readonly #ask: (() => Promise<boolean>) | undefined;
  readonly #onDue: () => void;
  #cancel: (() => void) | undefined;
  #isAsking = false;
  #isAllowed = false;
  /** Rises when the endpoint goes down or up, so that responses to earlier questions do not count. */
  #round = 0;

  /** `ask`: whether a probe may be sent now; without it, always. `onDue` is called when one may be due. */
  constructor(clock: Clock, ask: (() => Promise<boolean>) | undefined, onDue: () => void) {
    this.#clock = clock;
    this.#ask = ask;
    this.#onDue = onDue;
  }

  /** Calls `onDue` after `ms`, or earlier if that is already scheduled. */
  waitFor(ms: number): void {
    this.#cancel ??= this.#clock.after(ms, () => {
      this.#cancel = undefined;
      this.#onDue();
    });
  }

  /** Takes the permission for one probe; without it, asks, and calls `onDue` when there is one. */
  take(): boolean {
    if (!this.#ask) return true;
    const isAllowed = this.#isAllowed;
    this.#isAllowed = false;
    if (!isAllowed && !this.#isAsking && !this.#cancel) void this.#request(this.#ask);
    return isAllowed;
  }

  /** Forgets questions, permissions and waits. */
  reset(): void {
    this.#round++;
    this.#isAsking = false;
    this.#isAllowed = false;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  async #request(ask: () => Promise<boolean>): Promise<void> {
    this.#isAsking = true;
    const round = this.#round;
    const isAllowed = await ask();
    if (round !== this.#round) return;
    this.#isAsking = false;
    this.#isAllowed = isAllowed;
    if (isAllowed) this.#onDue();
    else this.waitFor(askAgainMs);
  }
}
