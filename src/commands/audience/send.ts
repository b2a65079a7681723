import { addSummaries } from '../../audience/add-summaries.js';
import { PlanRun } from '../../audience/plan-run.js';
import type { Comparison, Plan } from '../../audience/store.js';
import type { Staged } from '../../audience/stage-list.js';
import { systemClock } from '../../clock.js';
import { openTarget } from '../../config/open-target.js';
import { RateLimiter } from '../../delivery/rate-limiter.js';
import { sleep } from '../../delivery/sleep.js';
import { exitCodes } from '../../errors.js';
import type { CommitStep } from '../../ledger/committer.js';
import { failuresOfAllRuns, type Summary } from '../../ledger/summary.js';
import type { Rate } from '../../importer/turns.js';
import type { Target } from '../../delivery/target.js';
import { readList, type AudienceParts } from './parts.js';
import { AudienceReport } from './report.js';
import { openAudience, type AudienceState } from './state.js';
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
  /** One for all plans. */
  readonly #rate: Rate | undefined;
  #current: PlanRun | undefined;
  #summary: Summary | undefined;

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
    const { rate } = parts.flags;
    this.#rate = rate === undefined ? undefined : new RateLimiter(rate, systemClock);
  }

  async run(): Promise<void> {
    const { io } = this.#parts;
    const target = await this.#openTarget();
    try {
      this.#report.announce(target.urls);
      if (this.#state.hasOtherCredentials) this.#report.hasOtherCredentials();
      const { staged, comparison } = await this.#forward(target);
      const interruptedWith = this.#interruption.exitCode;
      await this.#report.conclude(this.#summary, comparison, interruptedWith);
      io.exit(interruptedWith ?? exitCodeOf(staged, this.#summary));
    } finally {
      await target.close();
      this.#interruption.end();
    }
  }

  /** Reads the list first, so that nothing is sent if the list is not usable. */
  async #forward(target: Target): Promise<{ staged: Staged; comparison?: Comparison }> {
    const { store } = this.#state;
    const { signal } = this.#interruption;
    const staged = await readList(this.#parts, store, signal);
    if (staged.broken) this.#report.broken(staged.broken);
    const unfinished = store.plan();
    if (unfinished && !signal.aborted) {
      this.#report.resumes(unfinished);
      await this.#send(unfinished, target);
    }
    if (signal.aborted) return { staged };
    const { input, audience } = this.#parts;
    const madeAt = new Date(systemClock.now()).toISOString();
    const comparison = store.makePlan({ file: input.name, madeAt, leavers: staged.leavers });
    this.#report.compared(audience.kind, comparison);
    await this.#send(store.plan()!, target);
    return { staged, comparison };
  }

  async #send(plan: Plan, target: Target): Promise<void> {
    const { audience } = this.#parts;
    const { store, deadLetters } = this.#state;
    const { signal } = this.#interruption;
    const progress = await this.#state.openProgress(plan);
    try {
      const planRun = (this.#current = new PlanRun({
        name: { ...audience, seed: store.seed },
        ...{ plan, store, progress, deadLetters, clock: systemClock, onStep: this.#onStep },
        urls: target.urls,
        onProblem: (outcome, item) => this.#report.problem(outcome, item, plan),
      }));
      await this.#report.start(planRun.ledger, plan);
      const summary = await planRun.send({
        target,
        rate: this.#rate,
        sleep: (ms) => sleep(ms, systemClock, signal),
        interrupted: signal,
      });
      this.#summary = this.#summary ? addSummaries(this.#summary, summary) : summary;
    } finally {
      this.#report.stop();
      progress.close();
    }
    if (!store.plan()) this.#state.resetProgress();
  }

  #openTarget(): Promise<Target> {
    const { settings, flags } = this.#parts;
    return openTarget(settings, {
      concurrency: flags.concurrency,
      returnsRetries: true,
      disablesOnGone: true,
      onDown: (...change) => this.#report.down(...change),
      onAttempt: (result, messageId) => {
        this.#current?.ledger.attempt(result, messageId);
        if (flags.verbose) this.#report.say(attemptLine(result, messageId));
      },
    });
  }
}

function exitCodeOf({ broken }: Staged, summary: Summary | undefined): number {
  const failures = summary ? failuresOfAllRuns(summary) : 0;
  return broken || failures > 0 ? exitCodes.incomplete : exitCodes.ok;
}
