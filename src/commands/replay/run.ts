import { exitCodes } from '../../errors.js';
import { StopRule } from '../../importer/stop-rule.js';
import type { AttemptLog } from '../../ledger/attempt-log.js';
import type { Summary } from '../../ledger/summary.js';
import { captureItems } from '../../replay/parse-capture.js';
import { exitCodeOf } from '../shared/exit-code.js';
import { Interruption } from '../shared/interruption.js';
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
  const state = await openReplayState(captures, prepared.settings, flags, items);
  try {
    const resumes = state.store.checkpoint().last.size > 0;
    const log = flags.log === undefined ? undefined : await openLog(flags.log, resumes);
    const parts = { ...call, ...prepared, ...captures, items, state, log, schedule };
    await new ReplayRun(parts).run();
  } finally {
    state.close();
  }
}

/** Imported late: most runs have no log. */
async function openLog(path: string, resumes: boolean): Promise<AttemptLog> {
  const { AttemptLog } = await import('../../ledger/attempt-log.js');
  return new AttemptLog(path, resumes);
}

class ReplayRun {
  readonly #parts: ReplayParts;
  readonly #engine: ReplayEngine;
  readonly #report: ReplayReport;
  readonly #interruption: Interruption;
  readonly #stopRule: StopRule;
  #brokenInputs = 0;
  #isStopped = false;

  constructor(parts: ReplayParts) {
    this.#parts = parts;
    this.#engine = new ReplayEngine(parts, this.#listener());
    this.#report = new ReplayReport(parts, this.#engine.counts);
    this.#stopRule = new StopRule(parts.flags.stopAfter);
    this.#interruption = new Interruption(() => this.#report.interrupted());
  }

  async run(): Promise<void> {
    const { schedule, log, io } = this.#parts;
    try {
      await this.#forward();
      const stopReason = this.#isStopped ? this.#stopRule.reason : undefined;
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
        this.#applyStopRule();
      },
      next: () => {
        if (this.#stopRule.reason !== undefined) this.#stop();
      },
      down: (...change) => this.#report.down(...change),
      credentialsAbroad: (host) => this.#report.credentialsAbroad(host),
      broken: (error) => {
        this.#brokenInputs++;
        this.#report.broken(error);
      },
    };
  }

  /** It is not known yet whether more requests follow if all that were read have ended. */
  #applyStopRule(): void {
    const { counts } = this.#engine;
    if (this.#stopRule.reason === undefined && !this.#stopRule.check(counts)) return;
    if (counts.read > counts.ended) this.#stop();
  }

  #stop(): void {
    if (this.#interruption.signal.aborted) return;
    this.#report.stopping(this.#stopRule.reason!);
    this.#isStopped = true;
    this.#interruption.stop();
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
