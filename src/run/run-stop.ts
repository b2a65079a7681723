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

/** What the rule of `--stop-after` acts on. */
export interface RunStopParts {
  readonly limit: FailureLimit | undefined;
  readonly stopper: Stopper;
  readonly counts: Pick<RunCounts, 'count' | 'read' | 'ended'>;
  /** Says that the run ends, and why. */
  readonly onStop: (reason: string) => void;
}

/** Ends a run in order when `--stop-after` says so, unless it has been interrupted. */
export class RunStop {
  readonly #parts: RunStopParts;
  readonly #rule: StopRule;
  #isStopped = false;

  constructor(parts: RunStopParts) {
    this.#parts = parts;
    this.#rule = new StopRule(parts.limit);
  }

  /** Why the run was ended; undefined if it was not. */
  get reason(): string | undefined {
    return this.#isStopped ? this.#rule.reason : undefined;
  }

  /** Called when a count has changed. Whether more follows is not known yet if all that was read has ended. */
  counted(): void {
    const { counts } = this.#parts;
    if (this.#rule.reason === undefined && !this.#rule.check(counts)) return;
    if (counts.read > counts.ended) this.#stop();
  }

  /** Called when more follows. */
  next(): void {
    if (this.#rule.reason !== undefined) this.#stop();
  }

  #stop(): void {
    const { stopper, onStop } = this.#parts;
    if (stopper.signal.aborted) return;
    onStop(this.#rule.reason!);
    this.#isStopped = true;
    stopper.stop();
  }
}
