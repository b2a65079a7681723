import { systemClock } from '../../clock.js';
import type { Outcome } from '../../delivery/outcome.js';
import type { Event, Problem } from '../../events/event.js';
import { attemptsOf, problemOf } from '../../importer/reported-event.js';
import { estimateLines } from '../../input/line-estimate.js';
import { endedInRun, type RunCounts, type Summary } from '../../ledger/summary.js';
import { count, countOf, msText } from '../../output/numbers.js';
import { printable } from '../../output/printable.js';
import { summaryText } from '../../output/summary.js';
import { colors } from '../../output/text.js';
import { CaptureItem } from '../../replay/capture-item.js';
import { shownPath } from '../../replay/path.js';
import { attemptLine } from '../shared/attempt-line.js';
import { completedText } from '../shared/completed-text.js';
import { filesText } from '../shared/files-text.js';
import { print } from '../shared/flags.js';
import { nextSteps, type Ending } from '../shared/next-steps.js';
import { otherCredentials } from '../shared/other-credentials.js';
import type { ReplayLag } from '../shared/replay-schedule.js';
import { RunReport } from '../shared/run-report.js';
import { comparedOf } from './compare-flag.js';
import { differenceLine, differenceText } from './difference.js';
import type { ReplayParts } from './parts.js';
import { warnOfVisibleSecret } from '../shared/secret-flags.js';

/** Most runs end before a time left is of interest, and need no estimate. */
const estimateAfterMs = 300;
const program = { command: 'evfwd replay', items: 'requests' };

/** The output of `replay`: data on standard output, messages on standard error. */
export class ReplayReport extends RunReport {
  readonly #parts: ReplayParts;
  readonly #counts: RunCounts;
  /** Lines of all inputs that are not blank; undefined until they are estimated, and with HAR files. */
  #lines: number | undefined;
  #cancelEstimate: (() => void) | undefined;

  constructor(parts: ReplayParts, counts: RunCounts) {
    super(parts.flags, parts.io);
    this.#parts = parts;
    this.#counts = counts;
  }

  /** Reports what starts or resumes. */
  announce(urls: readonly string[]): void {
    const { inputs, flags, io, state } = this.#parts;
    warnOfVisibleSecret(flags, io);
    const files = inputs.map(({ name }) => name);
    const ready = { type: 'ready', files, target: { kind: 'requests', urls } };
    if (flags.json) print(io, JSON.stringify(ready));
    else this.say(`replaying ${printable(filesText(files))} to ${urls.join(', ')}`);
    if (!state.isResumable) this.say('reading from a pipe: this run cannot be resumed');
    else if (state.store.isFinished()) this.#announceEnded();
    else this.#announceResume();
    if (state.hasOtherCredentials) this.say(otherCredentials);
  }

  async start(): Promise<void> {
    const { inputs, hars, flags, schedule, state } = this.#parts;
    const isResumed = state.store.hasBegun();
    await this.showProgress(this.#counts, {
      item: 'request',
      total: () => this.#total(),
      scheduleMs: () => schedule?.leftMs(isResumed),
      maxRate: flags.rate,
    });
    if (flags.quiet || hars.size > 0) return;
    const estimate = async (): Promise<void> => {
      this.#lines = await estimateLines(inputs);
    };
    this.#cancelEstimate = systemClock.after(estimateAfterMs, () => void estimate());
  }

  override stop(): void {
    this.#cancelEstimate?.();
    super.stop();
  }

  attempts(outcome: Outcome, item: Event | Problem): void {
    for (const { result, messageId, file, line } of attemptsOf(outcome, item)) {
      this.say(attemptLine(result, `${file}:${line}`, messageId ?? ''));
    }
  }

  /** A request was neither delivered nor skipped. */
  problem(outcome: Outcome, item: Event | Problem): void {
    const { flags } = this.#parts;
    const isCompared = comparedOf(flags) !== undefined;
    if (isCompared && outcome.verdict === 'failed' && item instanceof CaptureItem) {
      const difference = differenceLine(outcome, item);
      this.#printAboveProgress(
        flags.json ? JSON.stringify(difference) : differenceText(difference),
      );
      return;
    }
    if (!this.needsProblems) return;
    const { file, line, verdict, message, response } = problemOf(outcome, item);
    this.reportProblem(`${printable(file)}:${line}${pathOf(item)}`, verdict, message, response);
  }

  /** A rule has ended the run, for this reason. */
  stopping(reason: string): void {
    this.say(`stopping: ${reason}; finishing in-flight requests`);
  }

  credentialsAbroad(host: string): void {
    this.say(
      `warning: recorded Authorization or Cookie headers go to ${printable(host)}, which is not the recorded host; --drop-header Authorization,Cookie leaves them out`,
    );
  }

  /** Reports the lines that the reader of the log did not accept. */
  unwritten(log: string, lines: number): void {
    const what = countOf(lines, 'line is', 'lines are');
    const message = `--log ${log}: ${what} missing at its end; the reader did not accept them within 500 ms of Ctrl-C. Start the reader before the replay`;
    this.broken({ code: 'log_incomplete', message });
  }

  /** Prints the summary and the next step. */
  async conclude(
    summary: Summary,
    lag: ReplayLag | undefined,
    ending: Omit<Ending, 'summary'>,
  ): Promise<void> {
    const { flags, io } = this.#parts;
    const stopped = ending.stopReason !== undefined && { stopped: ending.stopReason };
    const data = { type: 'summary', ...summary, ...lag, ...stopped };
    if (flags.json) print(io, JSON.stringify(data));
    else print(io, summaryText(summary, await colors(io.stdout, io.env, flags.color), 'request'));
    if (lag && lag.lateMs.p50 !== null) {
      this.say(`schedule lag: median ${msText(lag.lateMs.p50)}, p99 ${msText(lag.lateMs.p99)}`);
    }
    for (const line of nextSteps({ ...this.#parts, program }, { summary, ...ending })) {
      this.say(line);
    }
  }

  /** Data, but on a terminal it must not be written into the live line. */
  #printAboveProgress(text: string): void {
    const { flags, io } = this.#parts;
    if (io.stdout.isTTY && io.stderr.isTTY && !flags.quiet) this.say(text);
    else print(io, text);
  }

  #announceEnded(): void {
    const completed = completedText(this.#parts.state.store.counts());
    this.say(`${completed}; only new requests will be sent (--fresh starts over)`);
  }

  #announceResume(): void {
    const { inputs, state } = this.#parts;
    const found = state.store.lastLine();
    if (!found) return;
    const file = printable(inputs[found.file]?.name ?? '');
    const pending = state.store.retryCount();
    const retries = pending > 0 ? `; ${countOf(pending, 'retry', 'retries')} pending` : '';
    this.say(`resuming after line ${count(found.last.line)} of ${file}${retries}`);
  }

  /** How many requests there are in all runs, estimated. */
  #total(): number | undefined {
    const { limit } = this.#parts.flags;
    if (this.#lines === undefined || limit === undefined) return this.#lines;
    const sent = this.#counts.count('delivered') + this.#counts.count('failed');
    const ahead = Math.ceil((limit - sent) * (sent === 0 ? 1 : endedInRun(this.#counts) / sent));
    return Math.min(this.#lines, this.#counts.ended + Math.max(0, ahead));
  }
}

/** ` POST /hook` of a request. */
function pathOf(item: Event | Problem): string {
  if (!(item instanceof CaptureItem)) return '';
  const { method, path } = item.request;
  return ` ${printable(`${method} ${shownPath(path)}`)}`;
}
