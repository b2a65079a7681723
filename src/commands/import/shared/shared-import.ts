import { join } from 'node:path';
import { exitCodes } from '../../../errors.js';
import type { ReadDeadLetters } from '../../../importer/shared/dead-letter-copy.js';
import { runNameOf } from '../../../importer/shared/identity.js';
import type { RunHead, RunSnapshot } from '../../../importer/shared/run-record.js';
import { runSummaryOf, type RunSummary } from '../../../importer/shared/run-summary.js';
import { checkPeriod } from '../../flags/run.js';
import { Interruption } from '../../shared/interruption.js';
import { defaultStateDir } from '../../shared/state-dir.js';
import { exitCodeOf } from '../../../run/exit-code.js';
import { DeadLetterOutput } from './dead-letters.js';
import { Follower, type RunEnd } from './follower.js';
import { JoinedRun } from './joined-run.js';
import { announcementOf, differencesOf, otherRuns } from './joined-text.js';
import { comeBackSteps, nextSteps, type RunEnding } from './next-steps.js';
import { orAborted } from './or-aborted.js';
import { pendingOf } from './pending.js';
import type { PreparedRun } from './call.js';

/** The planner of a run: plans or joins it, follows it to its end, and reports. */
export class SharedImport {
  readonly #parts: PreparedRun;
  readonly #interruption: Interruption;

  constructor(parts: PreparedRun) {
    this.#parts = parts;
    this.#interruption = new Interruption(() => parts.report.interrupted());
  }

  async run(): Promise<void> {
    try {
      await this.#run();
    } finally {
      this.#parts.report.stop();
      this.#interruption.end();
      this.#parts.lock?.release();
    }
  }

  async #run(): Promise<void> {
    const { report, names, urls, plan, flags } = this.#parts;
    report.importing(names, urls);
    const joined = await this.#untilInterrupted(this.#join());
    if (!joined) {
      this.#leave();
      return;
    }
    this.#announce(joined);
    if (joined.isNew && !(await this.#untilInterrupted(this.#nameOthers(joined.record)))) {
      this.#leave();
      return;
    }
    report.ready(names, plan.target.kind, urls, joined.record.id);
    if (flags.detach) report.detached(joined.record.id);
    else await this.#follow(joined);
  }

  #join(): Promise<JoinedRun> {
    const { server, plan, identity, flags } = this.#parts;
    return JoinedRun.join(server, {
      ...{ identity, plan },
      name: runNameOf(plan),
      isFresh: flags.fresh === true,
      checkNew: () => checkPeriod(flags),
    });
  }

  #announce(joined: JoinedRun): void {
    const { report, typed, plan, flags } = this.#parts;
    report.say(announcementOf(joined, typed));
    for (const line of differencesOf(joined.snapshot.record.plan, plan, joined.record.id))
      report.say(line);
    if (!flags.detach) return;
    if (flags.deadLetter !== undefined) {
      report.say(
        '--dead-letter has no effect with --detach; the same command without --detach writes it',
      );
    }
    if (flags.maxFailures !== undefined) {
      report.say(
        '--max-failures has no effect with --detach; the same command without --detach applies it',
      );
    }
  }

  /** Whoever has changed a secret may not know that this made another run. */
  async #nameOthers(run: RunHead): Promise<true> {
    const { server, report, typed } = this.#parts;
    for (const line of otherRuns(await server.list(), run, typed)) report.say(line);
    return true;
  }

  async #follow(joined: JoinedRun): Promise<void> {
    const { server, flags, lock } = this.#parts;
    const { id } = joined.record;
    const path =
      flags.deadLetter ?? join(flags.stateDir ?? defaultStateDir, `${id}.dead-letter.ndjson`);
    const read: ReadDeadLetters = (start, limit) => server.deadLetters(id, start, limit);
    const deadLetters = new DeadLetterOutput(path, read, lock);
    try {
      const { snapshot, ending } = await this.#end(joined, deadLetters);
      await this.#conclude(snapshot, ending, joined, path);
    } finally {
      deadLetters.close();
    }
  }

  async #end(joined: JoinedRun, deadLetters: DeadLetterOutput): Promise<RunEnd> {
    const { report } = this.#parts;
    const follower = new Follower({ ...this.#parts, deadLetters, joined });
    try {
      return await follower.untilEnd(this.#interruption.signal);
    } finally {
      report.stop();
    }
  }

  async #conclude(
    snapshot: RunSnapshot,
    ending: RunEnding,
    { isNew }: JoinedRun,
    deadLetterPath: string,
  ): Promise<void> {
    const { server, report, io } = this.#parts;
    const { pending, note } = await this.#pending(snapshot, ending);
    const now = server.now();
    const summary = runSummaryOf(snapshot, { pending, deadLetterPath, isJoined: !isNew, now });
    const lines = nextSteps(this.#parts, summary, ending);
    await report.conclude(summary, stopText(ending), [...(note ? [note] : []), ...lines]);
    io.exit(this.#exitCode(summary, ending));
  }

  async #pending(
    snapshot: RunSnapshot,
    { kind }: RunEnding,
  ): Promise<{ readonly pending: number; readonly note?: string }> {
    const waiting = snapshot.stats.retrying ?? 0;
    if (kind !== 'cancelled') return { pending: waiting };
    const { server, remote } = this.#parts;
    const counted = pendingOf(server, snapshot, remote, this.#interruption.signal);
    return (await this.#untilInterrupted(counted)) ?? { pending: waiting };
  }

  #exitCode(summary: RunSummary, ending: RunEnding): number {
    if (ending.kind === 'interrupted') return this.#interruption.exitCode ?? exitCodes.incomplete;
    if (ending.kind !== 'finished' || summary.problems.length > 0) return exitCodes.incomplete;
    return exitCodeOf(summary, this.#parts.flags.maxFailures);
  }

  /** Interrupted before the run was planned. */
  #leave(): void {
    const { report, io } = this.#parts;
    for (const line of comeBackSteps(this.#parts, undefined)) report.say(line);
    io.exit(this.#interruption.exitCode ?? exitCodes.incomplete);
  }

  /** Undefined if a signal comes first: a lost connection may be waited for at any time. */
  #untilInterrupted<T>(work: Promise<T>): Promise<T | undefined> {
    return orAborted(work, this.#interruption.signal);
  }
}

/** For `stopped` of the summary. */
function stopText(ending: RunEnding): string | undefined {
  if (ending.kind === 'cancelled') return 'the run was cancelled';
  return ending.kind === 'stopped' ? ending.reason : undefined;
}
