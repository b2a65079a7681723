import { addSummaries } from '../../audience/add-summaries.js';
import { PlanRun } from '../../audience/plan-run.js';
import type { Comparison, Plan } from '../../audience/store.js';
import type { Staged } from '../../audience/stage-list.js';
import { systemClock } from '../../clock.js';
import { checkTarget, openTarget } from '../../config/open-target.js';
import { exitCodes } from '../../errors.js';
import type { CommitStep } from '../../ledger/committer.js';
import { failuresOfAllRuns, type Summary } from '../../ledger/summary.js';
import type { Target } from '../../delivery/target.js';
import type { TargetEvents } from '../../run/single-thread.js';
import { readList, type AudienceParts } from './parts.js';
import { AudienceReport } from './report.js';
import { openAudience, type AudienceState } from './state.js';
import { checkTokens } from '../shared/check-tokens.js';
import { Interruption } from '../shared/interruption.js';
import { attemptLine } from '../shared/attempt-line.js';

/** Compares a list with the state of earlier runs, and sends the changes. */
export async function sendAudience(
  parts: AudienceParts,
  onStep: ((step: CommitStep) => void) | undefined,
): Promise<void> {
  const { audience, settings, flags } = parts;
  const state = await openAudience(audience, settings, flags);
  try {
    await new AudienceRun(parts, state, onStep).run();
  } finally {
    state.close();
  }
}

class AudienceRun {
  readonly #parts: AudienceParts;
  readonly #state: AudienceState;
  readonly #onStep: ((step: CommitStep) => void) | undefined;
  readonly #report: AudienceReport;
  readonly #interruption: Interruption;
  #urls: readonly string[] = [];
  #summary: Summary | undefined;
  /** Why the run was ended before its end; undefined if it was not. */
  #refusal: string | undefined;

  constructor(
    parts: AudienceParts,
    state: AudienceState,
    onStep: ((step: CommitStep) => void) | undefined,
  ) {
    this.#parts = parts;
    this.#state = state;
    this.#onStep = onStep;
    this.#report = new AudienceReport(parts);
    this.#interruption = new Interruption(() => this.#report.interrupted());
  }

  async run(): Promise<void> {
    const { io, settings } = this.#parts;
    try {
      this.#urls = await checkTarget(settings);
      await checkTokens(settings);
      this.#report.announce(this.#urls);
      if (this.#state.hasOtherCredentials) this.#report.hasOtherCredentials();
      const { staged, comparison } = await this.#forward();
      const interruptedWith = this.#interruption.exitCode;
      const isCut = interruptedWith !== undefined || this.#refusal !== undefined;
      await this.#report.conclude(this.#summary, comparison, isCut, this.#refusal);
      io.exit(interruptedWith ?? this.#exitCode(staged));
    } finally {
      this.#interruption.end();
    }
  }

  /** Reads the list first, so that nothing is sent if the list is not usable. */
  async #forward(): Promise<{ staged: Staged; comparison?: Comparison }> {
    const { store } = this.#state;
    const { signal } = this.#interruption;
    const staged = await readList(this.#parts, store, signal);
    if (staged.broken) this.#report.broken(staged.broken);
    const unfinished = store.plan();
    if (unfinished && !signal.aborted) {
      this.#report.resumes(unfinished);
      await this.#send(unfinished);
    }
    if (signal.aborted) return { staged };
    const { input, audience } = this.#parts;
    const madeAt = new Date(systemClock.now()).toISOString();
    const comparison = store.makePlan({ file: input.name, madeAt, removals: staged.removals });
    this.#report.compared(audience.kind, comparison);
    await this.#send(store.plan()!);
    return { staged, comparison };
  }

  async #send(plan: Plan): Promise<void> {
    const { audience, flags } = this.#parts;
    const { store, deadLetters } = this.#state;
    const { signal } = this.#interruption;
    const progress = await this.#state.openProgress(plan);
    try {
      const run = new PlanRun({
        name: { ...audience, seed: store.seed },
        ...{ plan, store, progress, deadLetters, clock: systemClock, onStep: this.#onStep },
        ...{ urls: this.#urls, rate: flags.rate },
        openTarget: (events) => this.#openTarget(events),
        onDown: (...change) => this.#report.down(...change),
        onRefused: (reason) => this.#refused(reason),
        onProblem: (outcome, item) => this.#report.problem(outcome, item, plan),
      });
      await this.#report.start(run.counts, plan);
      await run.forward(signal);
      const summary = run.finish(!signal.aborted);
      this.#summary = this.#summary ? addSummaries(this.#summary, summary) : summary;
    } finally {
      this.#report.stop();
      progress.close();
    }
    if (!store.plan()) this.#state.resetProgress();
  }

  #refused(reason: string): void {
    if (this.#interruption.signal.aborted) return;
    this.#refusal = reason;
    this.#report.stopping(reason);
    this.#interruption.stop();
  }

  #exitCode({ broken }: Staged): number {
    const failures = this.#summary ? failuresOfAllRuns(this.#summary) : 0;
    const isIncomplete = this.#refusal !== undefined || broken !== undefined || failures > 0;
    return isIncomplete ? exitCodes.incomplete : exitCodes.ok;
  }

  #openTarget({ onAttempt, ...events }: TargetEvents): Promise<Target> {
    const { settings, flags } = this.#parts;
    return openTarget(settings, {
      ...events,
      concurrency: flags.concurrency,
      returnsRetries: true,
      disablesOnGone: true,
      onAttempt: (result, messageId) => {
        onAttempt(result, messageId);
        if (flags.verbose) this.#report.say(attemptLine(result, messageId));
      },
    });
  }
}
