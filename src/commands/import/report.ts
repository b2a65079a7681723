import { systemClock } from '../../clock.js';
import { estimateLines } from '../../input/line-estimate.js';
import { estimateShare } from '../../input/share-estimate.js';
import type { EventAttempt, EventProblem } from '../../importer/reported-event.js';
import { endedInRun, type RunCounts, type Summary } from '../../ledger/summary.js';
import { printable } from '../../output/printable.js';
import { count, countOf, msText } from '../../output/numbers.js';
import { summaryText } from '../../output/summary.js';
import { colors } from '../../output/text.js';
import { attemptLine } from '../shared/attempt-line.js';
import { completedText } from '../shared/completed-text.js';
import { filesText } from '../shared/files-text.js';
import { print } from '../shared/flags.js';
import { otherCredentials } from '../shared/other-credentials.js';
import type { ImportParts } from './parts.js';
import type { ReplayLag } from '../shared/replay-schedule.js';
import { shardText } from './shard.js';
import { nextSteps, type Ending } from '../shared/next-steps.js';
import { RunReport } from '../shared/run-report.js';
import { warnOfVisibleSecret } from '../shared/secret-flags.js';

interface ReportParts extends Pick<
  ImportParts,
  'inputs' | 'files' | 'flags' | 'io' | 'state' | 'typed' | 'replay' | 'shard' | 'shares'
> {
  readonly counts: RunCounts;
}

/** Most runs end before a time left is of interest, and need no estimate. */
const estimateAfterMs = 300;

/** The output of `import`: data on standard output, messages on standard error. */
export class ImportReport extends RunReport {
  readonly #parts: ReportParts;
  /** Lines of all inputs that are not blank; undefined until they are estimated. */
  #lines: number | undefined;
  #cancelEstimate: (() => void) | undefined;

  constructor(parts: ReportParts) {
    super(parts.flags, parts.io);
    this.#parts = parts;
  }

  /** Reports what starts or resumes. */
  announce(urls: readonly string[], kind: string): void {
    const { inputs, flags, io, state, shard } = this.#parts;
    warnOfVisibleSecret(flags, io);
    const files = inputs.map(({ name }) => name);
    const ready = { type: 'ready', files, target: { kind, urls }, ...this.#shard };
    const part = shard ? `, shard ${shard.index + 1} of ${shard.count},` : '';
    if (flags.json) print(io, JSON.stringify(ready));
    else this.say(`importing ${printable(filesText(files))}${part} to ${urls.join(', ')}`);
    if (!state.isResumable) this.say('reading from a pipe: this run cannot be resumed');
    else if (state.store.isFinished()) this.#announceEnded();
    else this.#announceResume();
    if (state.hasOtherCredentials) this.say(otherCredentials);
  }

  async start(): Promise<void> {
    const { counts, inputs, flags, replay, state, shares } = this.#parts;
    const isResumed = state.store.hasBegun();
    await this.showProgress(counts, {
      total: () => this.#total(),
      scheduleMs: () => replay?.leftMs(isResumed),
      maxRate: flags.rate,
    });
    if (flags.quiet) return;
    const estimate = async (): Promise<void> => {
      this.#lines = await (shares ? estimateShare(inputs, shares) : estimateLines(inputs));
    };
    this.#cancelEstimate = systemClock.after(estimateAfterMs, () => void estimate());
  }

  override stop(): void {
    this.#cancelEstimate?.();
    super.stop();
  }

  attempt({ result, messageId, file, line }: EventAttempt): void {
    this.say(attemptLine(result, `${file}:${line}`, messageId ?? ''));
  }

  /** An event was neither delivered nor skipped. */
  problem(problem: () => EventProblem): void {
    if (!this.needsProblems) return;
    const { file, line, verdict, message, response } = problem();
    this.reportProblem(`${printable(file)}:${line}`, verdict, message, response);
  }

  /** A rule has ended the run, for this reason. */
  stopping(reason: string): void {
    this.say(`stopping: ${reason}; finishing in-flight requests`);
  }

  /** Reports the lines that the reader of the log did not accept. */
  unwritten(log: string, lines: number): void {
    const what = countOf(lines, 'line is', 'lines are');
    const message = `--log ${log}: ${what} missing at its end; the reader did not accept them within 500 ms of Ctrl-C. Start the reader before the import`;
    this.broken({ code: 'log_incomplete', message });
  }

  /** Prints the summary and the next step. */
  async conclude(
    summary: Summary,
    replay: ReplayLag | undefined,
    ending: Omit<Ending, 'summary'>,
  ): Promise<void> {
    const { flags, io } = this.#parts;
    const stopped = ending.stopReason !== undefined && { stopped: ending.stopReason };
    const data = { type: 'summary', ...summary, ...replay, ...stopped, ...this.#shard };
    if (flags.json) print(io, JSON.stringify(data));
    else print(io, summaryText(summary, await colors(io.stdout, io.env, flags.color)));
    if (replay) this.#sayReplay(replay);
    for (const line of nextSteps(this.#parts, { summary, ...ending })) this.say(line);
  }

  /** `2/8`, for JSON output. */
  get #shard(): { readonly shard?: string } {
    const { shard } = this.#parts;
    return shard ? { shard: shardText(shard) } : {};
  }

  #announceEnded(): void {
    const completed = completedText(this.#parts.state.store.counts());
    this.say(`${completed}; only new lines will be sent (--fresh starts over)`);
  }

  #announceResume(): void {
    const { inputs, state } = this.#parts;
    const found = state.store.lastLine();
    if (!found) return;
    const { line, offset, length } = found.last;
    const size = inputs[found.file]?.size ?? 0;
    const percent = Math.min(100, Math.floor(((offset + length) / size) * 100));
    const share = size > 0 ? ` (${percent}%)` : '';
    const pending = state.store.retryCount();
    const retries = pending > 0 ? `; ${countOf(pending, 'retry', 'retries')} pending` : '';
    const file = printable(inputs[found.file]?.name ?? '');
    this.say(`resuming after line ${count(line)} of ${file}${share}${retries}`);
  }

  #sayReplay({ outOfOrder, lateMs }: ReplayLag): void {
    if (lateMs.p50 !== null) {
      this.say(`schedule lag: median ${msText(lateMs.p50)}, p99 ${msText(lateMs.p99)}`);
    }
    if (outOfOrder > 0) {
      const events = countOf(outOfOrder, 'event was', 'events were');
      this.say(`${events} out of order and sent immediately`);
    }
  }

  /** How many events there are in all runs, estimated. */
  #total(): number | undefined {
    if (this.#lines === undefined) return undefined;
    const { counts, flags } = this.#parts;
    const total = Math.round(this.#lines * counts.eventsPerLine);
    return flags.limit === undefined ? total : Math.min(total, this.#totalWithLimit(flags.limit));
  }

  /** Assumes that as many of the further events are skipped or rejected as before. */
  #totalWithLimit(limit: number): number {
    const { counts } = this.#parts;
    const sent = counts.count('delivered') + counts.count('failed');
    const eventsPerSent = sent === 0 ? 1 : endedInRun(counts) / sent;
    const left = Math.max(0, limit - sent);
    return counts.ended + Math.ceil(left * eventsPerSent);
  }
}
