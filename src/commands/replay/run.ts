import { exitCodes } from '../../errors.js';
import type { Summary } from '../../ledger/summary.js';
import { captureItems } from '../../replay/parse-capture.js';
import { exitCodeOf } from '../shared/exit-code.js';
import { Interruption } from '../shared/interruption.js';
import { openLog } from '../shared/open-log.js';
import { RunStop } from '../shared/run-stop.js';
import { ReplaySchedule } from '../shared/replay-schedule.js';
import { findCaptures } from './captures.js';
import { comparedOf } from './compare-flag.js';
import { ReplayEngine, type ReplayListener } from './engine.js';
import { estimateCaptures } from './estimate.js';
import type { ReplayCall, ReplayParts } from './parts.js';
import { prepare } from './prepare.js';
import { ReplayReport } from './report.js';
import { openReplayState } from './state.js';

/** Runs `replay`, from flags to exit code. */
export async function replayFiles(call: ReplayCall): Promise<void> {
  const { flags, io } = call;
  const files = [...call.files];
  const schedule = ReplaySchedule.from(flags);
  const prepared = await prepare(files, flags, io);
  const captures = await findCaptures(files, flags, io);
  const items = captureItems(prepared.idHeaders);
  const state = await openReplayState(captures, prepared, flags, items);
  try {
    const resumes = state.store.hasBegun();
    const log = await openLog(flags.log, resumes);
    const parts = { ...call, ...prepared, ...captures, items, state, log, schedule };
    await new ReplayRun(parts).run();
  } finally {
    state.close();
  }
}

class ReplayRun {
  readonly #parts: ReplayParts;
  readonly #engine: ReplayEngine;
  readonly #report: ReplayReport;
  readonly #interruption: Interruption;
  readonly #stop: RunStop;
  #brokenInputs = 0;

  constructor(parts: ReplayParts) {
    this.#parts = parts;
    this.#engine = new ReplayEngine(parts, this.#listener());
    this.#report = new ReplayReport(parts, this.#engine.counts);
    this.#interruption = new Interruption(() => this.#report.interrupted());
    this.#stop = new RunStop({
      limit: parts.flags.stopAfter,
      interruption: this.#interruption,
      counts: this.#engine.counts,
      onStop: (reason) => this.#report.stopping(reason),
    });
  }

  async run(): Promise<void> {
    const { schedule, log, io } = this.#parts;
    try {
      await this.#forward();
      const stopReason = this.#stop.reason;
      const isInterrupted = this.#interruption.exitCode !== undefined;
      const isCut = isInterrupted || stopReason !== undefined;
      const summary = this.#engine.finish(!isCut && this.#brokenInputs === 0);
      try {
        await this.#closeLog();
      } finally {
        await this.#report.conclude(summary, schedule?.summary(), { isInterrupted, stopReason });
      }
      io.exit(this.#interruption.exitCode ?? this.#exitCode(summary, stopReason));
    } finally {
      this.#interruption.end();
      log?.abandon();
    }
  }

  async #forward(): Promise<void> {
    const { schedule } = this.#parts;
    try {
      this.#report.announce(this.#engine.urls);
      await schedule?.announce(
        (options) => estimateCaptures(this.#parts, this.#engine.isSelected, options),
        this.#report,
      );
      await this.#report.start();
      await this.#engine.forward(this.#interruption.signal);
    } finally {
      this.#report.stop();
    }
  }

  /** Waits for the reader of the log until Ctrl-C; the state is saved by then. */
  async #closeLog(): Promise<void> {
    const { log, flags } = this.#parts;
    const unwritten = await log?.close(this.#interruption.signal);
    if (unwritten) this.#report.unwritten(flags.log ?? '', unwritten);
  }

  #listener(): ReplayListener {
    return {
      attempts: (outcome, item) => this.#report.attempts(outcome, item),
      problem: (outcome, item) => {
        this.#report.problem(outcome, item);
        this.#stop.counted();
      },
      next: () => this.#stop.next(),
      down: (...change) => this.#report.down(...change),
      credentialsAbroad: (host) => this.#report.credentialsAbroad(host),
      broken: (error) => {
        this.#brokenInputs++;
        this.#report.broken(error);
      },
    };
  }

  #exitCode(summary: Summary, stopReason: string | undefined): number {
    const isOver = stopReason !== undefined || this.#brokenInputs > 0;
    const code = isOver ? exitCodes.incomplete : exitCodeOf(summary, this.#parts.flags.maxFailures);
    // A request without a response has none that equals the recorded one.
    const differing = summary.failed + summary.earlier.failed;
    const isCompared = comparedOf(this.#parts.flags) !== undefined;
    return isCompared && differing > 0 && code !== exitCodes.ok ? exitCodes.negative : code;
  }
}
