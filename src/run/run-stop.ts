import type { Clock } from '../clock.js';
import { StopRule, type FailureLimit } from '../importer/stop-rule.js';
import type { RunCounts } from '../ledger/summary.js';

/** What can end a run in order before its end: Ctrl-C and SIGTERM, and a rule. */
export interface Stopper {
  /** Aborted when the run is to end. */
  readonly signal: AbortSignal;
  /** The exit code of the signal that the process has received; undefined if there was none. */
  readonly exitCode: number | undefined;
  /** Ends the run in order, without an exit code. */
  stop(): void;
  /** Nothing more can end it. */
  end(): void;
}

/** Why a rule has ended a run. */
export interface StopReason {
  readonly message: string;
  /** How the rule is lifted; undefined if it cannot be. */
  readonly advice?: string;
}

export interface RunStopParts {
  /** Of `--stop-after`. */
  readonly limit: FailureLimit | undefined;
  /** Of `--wait-for-target`. */
  readonly waitsForTarget: boolean;
  readonly stopper: Stopper;
  readonly counts: Pick<RunCounts, 'count' | 'read' | 'ended' | 'waiting' | 'medianMs'>;
  readonly clock: Clock;
  /** Says that the run ends, and why. */
  readonly onStop: (reason: string) => void;
}

/** A target that has not responded once for this time after the first attempt is likely a wrong address. */
const noResponseMs = 60_000;
/** How often the counts are looked at until something has responded. */
const lookMs = 1_000;

/**
 * Ends a run in order when `--stop-after` says so, when nothing responds, or when credentials are refused, unless it has
 * been interrupted.
 */
export class RunStop {
  readonly #parts: RunStopParts;
  readonly #rule: StopRule;
  #reason: StopReason | undefined;
  #cancelLook: (() => void) | undefined;
  /** When an event began to wait for a retry. */
  #waitingSince: number | undefined;

  constructor(parts: RunStopParts) {
    this.#parts = parts;
    this.#rule = new StopRule(parts.limit);
  }

  /** Why the run was ended; undefined if it was not. */
  get reason(): StopReason | undefined {
    return this.#reason;
  }

  /** Called when a count has changed. Whether more follows is not known yet if all that was read has ended. */
  counted(): void {
    const { counts } = this.#parts;
    if (this.#rule.reason === undefined && !this.#rule.check(counts)) return;
    if (counts.read > counts.ended) this.#stopByRule();
  }

  /** Called when more follows. */
  next(): void {
    if (this.#rule.reason !== undefined) this.#stopByRule();
  }

  /** Called when a token endpoint refuses the credentials, which no retry repairs. */
  refused(message: string): void {
    this.#stop({ message });
  }

  /** Called when sending begins: waits for the first response. */
  begin(): void {
    if (!this.#parts.waitsForTarget) this.#look();
  }

  /** Nothing more is stopped. */
  end(): void {
    this.#cancelLook?.();
  }

  #look(): void {
    const { counts, clock } = this.#parts;
    if (counts.medianMs !== null) return;
    if (counts.waiting > 0) this.#waitingSince ??= clock.monotonic();
    if (clock.monotonic() - (this.#waitingSince ?? Infinity) >= noResponseMs)
      this.#stop(noResponse);
    else this.#cancelLook = clock.after(lookMs, () => this.#look(), { keepsAlive: false });
  }

  #stopByRule(): void {
    const advice = 'to continue whatever fails, use --stop-after 100%';
    this.#stop({ message: this.#rule.reason!, advice });
  }

  #stop(reason: StopReason): void {
    const { stopper, onStop } = this.#parts;
    if (stopper.signal.aborted) return;
    onStop(reason.message);
    this.#reason = reason;
    stopper.stop();
  }
}

const noResponse: StopReason = {
  message: `nothing has responded for ${noResponseMs / 1000} s`,
  advice: 'to wait until the target responds, use --wait-for-target',
};
