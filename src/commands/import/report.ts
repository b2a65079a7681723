import type { Input } from '../../input/input.js';
import { lineTooLong } from '../../events/rules.js';
import type { RunCounts, Summary } from '../../ledger/summary.js';
import { printable } from '../../output/printable.js';
import { count } from '../../output/progress.js';
import { summaryText } from '../../output/summary.js';
import { colors } from '../../output/text.js';
import type { EventProblem } from '../../importer/workers/messages.js';
import type { Io } from '../shared/command.js';
import { print } from '../shared/flags.js';
import type { ImportFlags } from './flags.js';
import type { ImportState } from './state.js';
import type { ReplayLag } from './replay-schedule.js';
import { RunReport } from '../shared/run-report.js';

interface ReportParts {
  readonly inputs: readonly Input[];
  readonly flags: ImportFlags;
  readonly io: Io;
  readonly ledger: RunCounts;
  readonly state: ImportState;
}

/** The output of `import`: data on standard output, messages on standard error. */
export class ImportReport extends RunReport {
  readonly #parts: ReportParts;
  #rawBytes = 0;
  #targetFlag = '--url';

  constructor(parts: ReportParts) {
    super(parts.flags, parts.io);
    this.#parts = parts;
  }

  /** Reports what starts or resumes. */
  announce(urls: readonly string[], kind: string): void {
    const { inputs, flags, io, state } = this.#parts;
    if (kind === 'collector') this.#targetFlag = '--endpoint';
    const files = inputs.map(({ name }) => name);
    if (flags.json) print(io, JSON.stringify({ type: 'ready', files, target: { kind, urls } }));
    else this.say(`importing ${printable(files.join(', '))} to ${urls.join(', ')}`);
    if (!state.isResumable) this.say('reading from a pipe: this run cannot be resumed');
    else if (state.store.isFinished()) this.#announceEnded();
    else this.#announceResume();
  }

  start(): Promise<void> {
    return this.showProgress(this.#parts.ledger, () => this.#shareRead());
  }

  /** More bytes were read from disk. */
  advance(bytes: number): void {
    this.#rawBytes += bytes;
  }

  /** An event was neither delivered nor skipped. */
  problem({ file, line, verdict, message }: EventProblem): void {
    this.reportProblem(`${printable(file)}:${line}`, verdict, message);
  }

  /** Reports the lines that the reader of the log did not accept. */
  unwritten(log: string, lines: number): void {
    const what = lines === 1 ? '1 line is' : `${count(lines)} lines are`;
    const message = `--log ${log}: ${what} missing at its end; the reader did not accept them within 500 ms of Ctrl-C. Start the reader before the import`;
    this.broken({ code: 'log_incomplete', message });
  }

  /** Prints the summary and the next step. */
  async conclude(
    summary: Summary,
    replay: ReplayLag | undefined,
    interruptedWith: number | undefined,
  ): Promise<void> {
    const { flags, io, state } = this.#parts;
    if (flags.json) print(io, JSON.stringify({ type: 'summary', ...summary, ...replay }));
    else print(io, summaryText(summary, await colors(io.stdout, io.env, flags.color)));
    if (replay) this.#sayReplay(replay);
    if (summary.deadLetter !== null) {
      const path = printable(summary.deadLetter);
      this.say(
        `failed events saved to ${path}; retry all but cut lines (${lineTooLong}) with: evfwd import ${path} ${this.#targetFlag} …`,
      );
    }
    if (interruptedWith !== undefined && state.isResumable) {
      this.say('run the same command again to resume');
    }
  }

  #announceEnded(): void {
    const { delivered, rejected, failed } = this.#parts.state.store.counts();
    this.say(
      `already completed (${count(delivered)} delivered, ${count(rejected + failed)} failed); only new lines will be sent (--fresh starts over)`,
    );
  }

  #announceResume(): void {
    const { inputs, state } = this.#parts;
    const { last } = state.store.checkpoint();
    if (last.size === 0) return;
    const index = Math.max(...last.keys());
    const { line, offset } = last.get(index)!;
    const size = inputs[index]?.size ?? 0;
    const percent = size > 0 ? ` (${Math.min(100, Math.floor((offset / size) * 100))}%)` : '';
    const pending = state.store.retryCount();
    const retries =
      pending > 0 ? `; ${count(pending)} ${pending === 1 ? 'retry' : 'retries'} pending` : '';
    const file = printable(inputs[index]?.name ?? '');
    this.say(`resuming after line ${count(line)} of ${file}${percent}${retries}`);
    this.#rawBytes = this.#bytesBefore(index) + offset;
  }

  #sayReplay({ outOfOrder, lateMs }: ReplayLag): void {
    if (lateMs.p50 !== null) {
      this.say(`schedule lag: median ${lateMs.p50} ms, p99 ${lateMs.p99 ?? 0} ms`);
    }
    if (outOfOrder > 0) {
      const events = outOfOrder === 1 ? '1 event was' : `${count(outOfOrder)} events were`;
      this.say(`${events} out of order and sent immediately`);
    }
  }

  #bytesBefore(index: number): number {
    return this.#parts.inputs.slice(0, index).reduce((sum, { size }) => sum + (size ?? 0), 0);
  }

  #shareRead(): number | undefined {
    const { inputs } = this.#parts;
    if (inputs.some(({ size }) => size === undefined)) return undefined;
    const total = this.#bytesBefore(inputs.length);
    return total === 0 ? undefined : Math.min(1, this.#rawBytes / total);
  }
}
