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

/** Everything that `import` says: data on standard output, all for people on standard error. */
export class ImportReport extends RunReport {
  readonly #parts: ReportParts;
  #rawBytes = 0;

  constructor(parts: ReportParts) {
    super(parts.flags, parts.io);
    this.#parts = parts;
  }

  /** Says what begins, or goes on. */
  announce(urls: readonly string[], kind: string): void {
    const { inputs, flags, io, state } = this.#parts;
    const files = inputs.map(({ name }) => name);
    if (flags.json) print(io, JSON.stringify({ type: 'ready', files, target: { kind, urls } }));
    else this.say(`importing ${printable(files.join(', '))} to ${urls.join(', ')}`);
    if (!state.isResumable) this.say('a pipe cannot be read again, so this run cannot be resumed');
    else if (state.store.isFinished()) this.#announceEnded();
    else this.#announceResume();
  }

  start(): Promise<void> {
    return this.showProgress(this.#parts.ledger, () => this.#shareRead());
  }

  /** So many bytes more were read from disk. */
  advance(bytes: number): void {
    this.#rawBytes += bytes;
  }

  /** An event was neither delivered nor left out on purpose. */
  problem({ file, line, verdict, message }: EventProblem): void {
    this.reportProblem(`${printable(file)}:${line}`, verdict, message);
  }

  /** Reports how many lines the reader of the log did not take. */
  unwritten(log: string, lines: number): void {
    const what = lines === 1 ? '1 line is' : `${count(lines)} lines are`;
    const message = `--log ${log}: ${what} missing at its end; the reader did not take them within 500 ms of Ctrl-C. Start the reader before the import`;
    this.broken({ code: 'log_incomplete', message });
  }

  /** The summary, and what to do next. */
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
        `dead letters in ${path}; evfwd import ${path} sends those, but for cut lines (${lineTooLong})`,
      );
    }
    if (interruptedWith !== undefined && state.isResumable) {
      this.say('to go on where it stopped, run the same command again');
    }
  }

  #announceEnded(): void {
    const { delivered, rejected, failed } = this.#parts.state.store.counts();
    this.say(
      `this import has ended before: ${count(delivered)} delivered, ${count(rejected + failed)} not; only new lines are sent (--fresh starts over)`,
    );
  }

  #announceResume(): void {
    const { inputs, state } = this.#parts;
    const { last } = state.store.checkpoint();
    if (last.size === 0) return;
    const index = Math.max(...last.keys());
    const { line, offset } = last.get(index)!;
    const size = inputs[index]?.size ?? 0;
    const percent = size > 0 ? ` (${Math.min(100, Math.floor((offset / size) * 100))} %)` : '';
    const waiting = state.store.retryCount();
    const retries = waiting > 0 ? `; ${count(waiting)} wait for a retry` : '';
    const file = printable(inputs[index]?.name ?? '');
    this.say(`going on behind line ${count(line)} of ${file}${percent}${retries}`);
    this.#rawBytes = this.#bytesBefore(index) + offset;
  }

  #sayReplay({ outOfOrder, lateMs }: ReplayLag): void {
    if (lateMs.p50 !== null) {
      this.say(`events went ${lateMs.p50} ms late at the median, ${lateMs.p99 ?? 0} ms at p99`);
    }
    if (outOfOrder > 0) {
      this.say(`out of order, and sent at once: ${count(outOfOrder)}`);
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
