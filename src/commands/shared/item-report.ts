import { systemClock } from '../../clock.js';
import type { EventAttempt, EventProblem } from '../../importer/reported-event.js';
import { isPlain, type Input } from '../../sources/input.js';
import { endedInRun, type RunCounts } from '../../ledger/summary.js';
import { count, countOf, msText } from '../../output/numbers.js';
import { printable } from '../../output/printable.js';
import { summaryText } from '../../output/summary.js';
import { colors } from '../../output/text.js';
import type { ScheduleLag, SpeedSchedule } from '../../run/speed-schedule.js';
import type { Ending, RunOutput } from '../../run/run.js';
import { attemptLine } from './attempt-line.js';
import type { Io } from './command.js';
import { completedText } from './completed-text.js';
import { filesText } from './files-text.js';
import type { OutputFlags } from '../flags/output.js';
import { print } from './output.js';
import { nextSteps, savedText } from './next-steps.js';
import { otherCredentials } from './other-credentials.js';
import { RunReport } from './run-report.js';
import type { RunState } from './run-state.js';
import { warnOfVisibleSecret } from './secret-flags.js';
import type { TypedFlag } from '../flags/flag.js';

/** What a command calls what it does. */
export interface ReportWords {
  /** `evfwd import`, for commands that are printed. */
  readonly command: string;
  /** What the command does with files: `importing`. */
  readonly doing: string;
  /** What it sends: `event`. */
  readonly item: 'event' | 'request';
  /** What is new in a file that has grown: `lines`. */
  readonly additions: string;
  /** The kind of the target, in the line `ready` of `--json`. */
  readonly targetKind: string;
}

export interface ItemReportParts {
  readonly words: ReportWords;
  readonly inputs: readonly Input[];
  /** The files that were passed as arguments. */
  readonly files: readonly string[];
  readonly flags: OutputFlags &
    Parameters<typeof warnOfVisibleSecret>[0] & {
      readonly limit?: number;
      readonly rate?: number;
      readonly allUrls?: boolean;
    };
  readonly typed: readonly TypedFlag[];
  readonly io: Io;
  readonly state: RunState;
  readonly schedule: SpeedSchedule | undefined;
  /** `2/8`, if several processes share the run. */
  readonly shard?: string | undefined;
  /** Estimates the lines of all inputs that are not blank; undefined where that is not known soon. */
  readonly estimateLines: (() => Promise<number | undefined>) | undefined;
}

/** Most runs end before a time left is of interest, and need no estimate. */
const estimateAfterMs = 300;

/** The output of a run that reads files: data on standard output, messages on standard error. */
export class ItemReport extends RunReport implements RunOutput {
  readonly #parts: ItemReportParts;
  /** Lines of all inputs that are not blank; undefined until they are estimated. */
  #lines: number | undefined;
  #cancelEstimate: (() => void) | undefined;

  constructor(parts: ItemReportParts) {
    super(parts.flags, parts.io);
    this.#parts = parts;
  }

  /** Reports what starts or resumes. */
  announce(urls: readonly string[]): void {
    const { words, inputs, flags, io, state, shard } = this.#parts;
    warnOfVisibleSecret(flags, io);
    const files = inputs.map(({ name }) => name);
    const ready = { type: 'ready', files, target: { kind: words.targetKind, urls }, shard };
    const part = shard === undefined ? '' : `, shard ${shard.replace('/', ' of ')},`;
    if (flags.json) print(io, JSON.stringify(ready));
    else this.say(`${words.doing} ${printable(filesText(files))}${part} to ${urls.join(', ')}`);
    if (!state.isResumable) this.say('reading from a pipe: this run cannot be resumed');
    else if (state.store.isFinished()) this.#announceEnded();
    else this.#announceResume();
    if (state.hasOtherCredentials) this.say(otherCredentials);
  }

  async start(counts: RunCounts): Promise<void> {
    const { words, flags, schedule, state, estimateLines } = this.#parts;
    const isResumed = state.store.hasBegun();
    await this.showProgress(counts, {
      item: words.item,
      total: () => this.#total(counts),
      scheduleMs: () => schedule?.leftMs(isResumed),
      maxRate: flags.rate,
    });
    if (flags.quiet || !estimateLines) return;
    const estimate = async (): Promise<void> => {
      this.#lines = await estimateLines();
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

  /** An item was neither delivered nor skipped; `about` follows its place. */
  problem(problem: () => EventProblem, about = ''): void {
    if (!this.needsProblems) return;
    const shown = problem();
    this.reportProblem(`${printable(shown.file)}:${shown.line}${about}`, shown);
  }

  stopping(reason: string): void {
    this.say(`stopping: ${reason}; finishing in-flight requests`);
  }

  unwritten(log: string, lines: number): void {
    const what = countOf(lines, 'line is', 'lines are');
    const run = this.#parts.words.command.replace('evfwd ', '');
    const message = `--log ${log}: ${what} missing at its end; the reader did not accept them within 500 ms of Ctrl-C. Start the reader before the ${run}`;
    this.broken({ code: 'log_incomplete', message });
  }

  async conclude(ending: Ending, lag: ScheduleLag | undefined): Promise<void> {
    const { words, flags, io, shard } = this.#parts;
    const { summary, stopReason } = ending;
    const data = { type: 'summary', ...summary, ...lag, stopped: stopReason?.message, shard };
    if (flags.json) print(io, JSON.stringify(data));
    else print(io, summaryText(summary, await colors(io.stdout, io.env, flags.color), words.item));
    if (lag) this.#sayLag(lag);
    const program = { command: words.command, items: `${words.item}s` };
    const { deadLetter } = summary;
    if (flags.quiet && deadLetter !== null) this.write(savedText(deadLetter, program.items));
    for (const line of nextSteps({ ...this.#parts, program }, ending)) this.say(line);
  }

  /** Prints data. On a terminal it must not be written into the live line. */
  printLine(text: string): void {
    const { flags, io } = this.#parts;
    if (io.stdout.isTTY && io.stderr.isTTY && !flags.quiet) this.say(text);
    else print(io, text);
  }

  #announceEnded(): void {
    const completed = completedText(this.#parts.state.store.counts());
    const { additions } = this.#parts.words;
    this.say(`${completed}; only new ${additions} will be sent (--fresh starts over)`);
  }

  #announceResume(): void {
    const { inputs, state, estimateLines } = this.#parts;
    const found = state.store.lastLine();
    if (!found) return;
    const { line, offset, length } = found.last;
    const input = inputs[found.file];
    // Offsets of others are those of their text, and in HAR files, whose lines are not counted, no bytes.
    const isKnown = input !== undefined && estimateLines !== undefined && isPlain(input);
    const size = isKnown ? (input.size ?? 0) : 0;
    const percent = Math.min(100, Math.floor(((offset + length) / size) * 100));
    const share = size > 0 ? ` (${percent}%)` : '';
    const pending = state.store.retryCount();
    const retries = pending > 0 ? `; ${countOf(pending, 'retry', 'retries')} pending` : '';
    const file = printable(input?.name ?? '');
    this.say(`resuming after line ${count(line)} of ${file}${share}${retries}`);
  }

  #sayLag({ outOfOrder, lateMs }: ScheduleLag): void {
    if (lateMs.p50 !== null) {
      this.say(`schedule lag: median ${msText(lateMs.p50)}, p99 ${msText(lateMs.p99)}`);
    }
    if (outOfOrder > 0) {
      const { item } = this.#parts.words;
      const items = countOf(outOfOrder, `${item} was`, `${item}s were`);
      this.say(`${items} out of order and sent immediately`);
    }
  }

  /** How many items there are in all runs, estimated. */
  #total(counts: RunCounts): number | undefined {
    if (this.#lines === undefined) return undefined;
    const { limit } = this.#parts.flags;
    const total = Math.round(this.#lines * counts.eventsPerLine);
    return limit === undefined ? total : Math.min(total, totalWithLimit(limit, counts));
  }
}

/** Assumes that as many of the further items are skipped or rejected as before. */
function totalWithLimit(limit: number, counts: RunCounts): number {
  const sent = counts.count('delivered') + counts.count('failed');
  const endedPerSent = sent === 0 ? 1 : endedInRun(counts) / sent;
  const left = Math.max(0, limit - sent);
  return counts.ended + Math.ceil(left * endedPerSent);
}
