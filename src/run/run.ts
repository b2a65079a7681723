import { systemClock, type Clock } from '../clock.js';
import type { DownReason } from '../delivery/circuit-breaker.js';
import { exitCodes } from '../errors.js';
import type { FailureLimit } from '../importer/stop-rule.js';
import type { BrokenInputError } from '../sources/broken-input.js';
import type { Estimate } from '../sources/spacing.js';
import type { TimelineOptions } from '../sources/timeline.js';
import type { AttemptLog } from '../ledger/attempt-log.js';
import type { RunCounts, Summary } from '../ledger/summary.js';
import { exitCodeOf } from './exit-code.js';
import type { ScheduleLag, SpeedSchedule } from './speed-schedule.js';
import { RunStop, type Stopper, type StopReason } from './run-stop.js';

/** Sends the items of a source to a target, with a ledger: in this thread, or in several. */
export interface RunEngine {
  readonly counts: RunCounts;
  /** For display, without queries. @throws UsageError when the target cannot be used. */
  urls(): Promise<readonly string[]>;
  /** Resolves when everything is sent, or the run is interrupted. */
  forward(interrupted: AbortSignal): Promise<void>;
  /** Makes everything durable and returns the summary. `hasReadAll`: whether the inputs were read to their end. */
  finish(hasReadAll: boolean): Summary;
  /** Sentences about what the items have shown to be likely mistakes. */
  warnings(): readonly string[];
}

/** Receives what happens in an engine, besides the outcomes of items. */
export interface RunListener {
  /** More items were rejected or have failed. */
  counted(): void;
  /** Another item was read, and is sent next; called in the main thread only. */
  next(): void;
  /** A URL is considered down, for a reason, or is reachable again. */
  down(url: string, isDown: boolean, reason?: DownReason): void;
  /** A token endpoint refuses the credentials, in a sentence: the run is to end. */
  refused(reason: string): void;
  /** An input is truncated; reading continues with the next one. */
  broken(error: BrokenInputError): void;
}

/** How a run has ended. */
export interface Ending {
  readonly summary: Summary;
  /** Whether Ctrl-C or SIGTERM has ended it. */
  readonly isInterrupted: boolean;
  /** Why a rule has ended it; undefined if none has. */
  readonly stopReason: StopReason | undefined;
}

/** What a run says, in the words of its command. */
export interface RunOutput extends Pick<RunListener, 'down' | 'broken'> {
  announce(urls: readonly string[]): void;
  say(text: string): void;
  /** Shows the progress until `stop()`. */
  start(counts: RunCounts): Promise<void>;
  stop(): void;
  /** A rule ends the run, for this reason. */
  stopping(reason: string): void;
  /** The reader of the log did not accept this many lines. */
  unwritten(log: string, lines: number): void;
  /** Prints the summary and the next steps. */
  conclude(ending: Ending, lag: ScheduleLag | undefined): Promise<void>;
}

export interface RunParts {
  readonly engine: (listener: RunListener) => RunEngine;
  readonly report: RunOutput;
  /** Called once there is an engine. */
  readonly openStopper: () => Stopper;
  readonly log: AttemptLog | undefined;
  /** Default: that of the system. */
  readonly clock?: Clock;
  /** Of `--speed`. */
  readonly schedule: SpeedSchedule | undefined;
  /** How long the items take with their own spacing. */
  readonly estimate: (options: TimelineOptions) => Promise<Estimate | undefined>;
  readonly flags: {
    readonly stopAfter?: FailureLimit;
    readonly maxFailures?: FailureLimit;
    readonly waitForTarget?: boolean;
    readonly log?: string;
  };
}

/** One run of a command that sends many items, from the announcement to the exit code. */
export class Run {
  readonly #parts: RunParts;
  readonly #engine: RunEngine;
  readonly #stopper: Stopper;
  readonly #stop: RunStop;
  #brokenInputs = 0;

  constructor(parts: RunParts) {
    const { report, flags } = parts;
    this.#parts = parts;
    this.#engine = parts.engine({
      counted: () => this.#stop.counted(),
      next: () => this.#stop.next(),
      down: (...change) => report.down(...change),
      refused: (reason) => this.#stop.refused(reason),
      broken: (error) => {
        this.#brokenInputs++;
        report.broken(error);
      },
    });
    this.#stopper = parts.openStopper();
    this.#stop = new RunStop({
      ...{ limit: flags.stopAfter, stopper: this.#stopper, counts: this.#engine.counts },
      ...{ waitsForTarget: flags.waitForTarget ?? false, clock: parts.clock ?? systemClock },
      onStop: (reason) => report.stopping(reason),
    });
  }

  async run(): Promise<Ending & { readonly exitCode: number }> {
    const { report, schedule, log } = this.#parts;
    const stopper = this.#stopper;
    try {
      await this.#forward();
      const stopReason = this.#stop.reason;
      const isInterrupted = stopper.exitCode !== undefined;
      const isCut = isInterrupted || stopReason !== undefined;
      const hasReadAll = !isCut && this.#brokenInputs === 0;
      const summary = this.#engine.finish(hasReadAll);
      const ending = { summary, isInterrupted, stopReason };
      try {
        await this.#closeLog();
      } finally {
        await report.conclude(ending, schedule?.summary());
      }
      // What an earlier run has read is not known here.
      if (hasReadAll && !summary.resumed)
        for (const text of this.#engine.warnings()) report.say(`warning: ${text}`);
      // Ctrl-C may also have ended the wait for the reader of the log.
      const signalled = stopper.exitCode;
      const exitCode = signalled ?? this.#exitCode(ending);
      return { ...ending, isInterrupted: signalled !== undefined, exitCode };
    } finally {
      stopper.end();
      log?.abandon();
    }
  }

  async #forward(): Promise<void> {
    const { report, schedule, estimate } = this.#parts;
    try {
      report.announce(await this.#engine.urls());
      await schedule?.announce(estimate, report);
      await report.start(this.#engine.counts);
      this.#stop.begin();
      await this.#engine.forward(this.#stopper.signal);
    } finally {
      this.#stop.end();
      report.stop();
    }
  }

  /** Waits for the reader of the log until Ctrl-C; the state is saved by then. */
  async #closeLog(): Promise<void> {
    const { log, flags, report } = this.#parts;
    const unwritten = await log?.close(this.#stopper.signal);
    if (unwritten) report.unwritten(flags.log ?? '', unwritten);
  }

  #exitCode({ summary, stopReason }: Ending): number {
    const isIncomplete = stopReason !== undefined || this.#brokenInputs > 0;
    return isIncomplete ? exitCodes.incomplete : exitCodeOf(summary, this.#parts.flags.maxFailures);
  }
}
