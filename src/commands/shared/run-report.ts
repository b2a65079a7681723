import { codeOfResult } from '../../delivery/describe.js';
import type { DownReason } from '../../delivery/circuit-breaker.js';
import type { EvfwdError } from '../../errors.js';
import { ProblemFilter, type ShownProblem } from '../../importer/reported-event.js';
import { endedInRun, type RunCounts } from '../../ledger/summary.js';
import { printable } from '../../output/printable.js';
import { showProgress, type Progress } from '../../output/progress.js';
import type { RunState } from '../../output/progress-text.js';
import { shortReason } from '../../output/reason-text.js';
import { colorLevel } from '../../output/text.js';
import type { Io } from './command.js';
import type { OutputFlags } from '../flags/output.js';
import { say } from './output.js';

/** What a command knows of its progress besides the counts. */
export interface ProgressSource {
  /** See `RunState.item`. */
  readonly item?: string;
  /** How many events there are in all runs, possibly estimated; undefined if unknown. */
  total(): number | undefined;
  /** See `RunState.scheduleMs`. */
  scheduleMs?(): number | null | undefined;
  /** See `RunState.workers`. */
  workers?(): number;
  /** The most events per second that the run sends. */
  readonly maxRate?: number | undefined;
}

/** Progress messages on standard error for every run that sends many events. */
export class RunReport {
  readonly #flags: OutputFlags;
  readonly #io: Io;
  #progress: Progress | undefined;
  readonly #problems: ProblemFilter;

  constructor(flags: OutputFlags, io: Io) {
    this.#flags = flags;
    this.#io = io;
    this.#problems = new ProblemFilter(flags.verbose === true);
  }

  say(text: string): void {
    if (!this.#flags.quiet) this.write(text);
  }

  async showProgress(counts: RunCounts, source: ProgressSource): Promise<void> {
    if (this.#flags.quiet) return;
    const { stderr, env } = this.#io;
    const hasColors = colorLevel(stderr.isTTY === true, env, this.#flags.color) > 0;
    const { maxRate } = source;
    this.#progress = await showProgress(stderr, () => stateOf(counts, source), {
      hasColors,
      maxRate,
    });
  }

  stop(): void {
    this.#progress?.stop();
    this.#progress = undefined;
  }

  /**
   * An event was neither delivered nor skipped; `place` names it. Of equal failures the first is shown: the summary
   * counts them by reason.
   */
  reportProblem(place: string, problem: ShownProblem): void {
    const { verdict, message, response } = problem;
    const choice = this.#problems.take(problem);
    if (choice === 'shown') {
      const said = response === undefined ? '' : `: ${response}`;
      this.say(`${place}: ${verdict}: ${printable(message)}${said}`);
    } else if (choice === 'first-hidden') {
      this.say('not all further failures are shown; use --verbose to see all');
    }
  }

  /** Whether the next problem may be shown. */
  protected get needsProblems(): boolean {
    return !this.#problems.isDone;
  }

  down(url: string, isDown: boolean, reason?: DownReason): void {
    const why = reason ? ` (${shortReason(codeOfResult(reason))})` : '';
    this.say(
      isDown
        ? `${url}: unreachable${why}; probing once per second until it recovers`
        : `${url}: reachable again`,
    );
  }

  broken({ code, message }: Pick<EvfwdError, 'code' | 'message'>): void {
    const text = printable(message);
    const asJson = JSON.stringify({ error: { code, message: text } });
    this.write(this.#flags.json ? asJson : `evfwd: ${text}`);
  }

  interrupted(): void {
    this.say('interrupted: finishing in-flight requests; press Ctrl-C again to quit now');
  }

  /** Writes a line above the live one, also with `--quiet`. */
  protected write(text: string): void {
    if (this.#progress) this.#progress.say(text);
    else say(this.#io, text);
  }
}

function stateOf(counts: RunCounts, source: ProgressSource): RunState {
  const ended = endedInRun(counts);
  const rejected = counts.count('rejected');
  const { waiting, nextDueAt, retryCode, medianMs } = counts;
  return {
    item: source.item,
    ended,
    sent: ended - rejected - counts.count('skipped'),
    ...{ failed: counts.count('failed'), rejected, waiting, retryCode, medianMs },
    nextRetryMs: waiting > 0 && nextDueAt < Infinity ? nextDueAt - Date.now() : undefined,
    left: leftOf(counts, source.total()),
    endedBefore: counts.ended - ended,
    scheduleMs: source.scheduleMs?.(),
    workers: source.workers?.(),
  };
}

/** Events that have not ended: known when all are read, else estimated. */
function leftOf(
  { isReading, read, ended }: RunCounts,
  total: number | undefined,
): number | undefined {
  if (!isReading) return read - ended;
  return total === undefined ? undefined : Math.max(read, total) - ended;
}
