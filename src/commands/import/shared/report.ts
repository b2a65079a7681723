import { Writable } from 'node:stream';
import { systemClock } from '../../../clock.js';
import type { SnapshotCounts } from '../../../importer/shared/run-counts.js';
import type { RunProblem, RunRecord } from '../../../importer/shared/run-record.js';
import type { RunSummary } from '../../../importer/shared/run-summary.js';
import { estimateLines } from '../../../sources/line-estimate.js';
import { countOf } from '../../../output/numbers.js';
import { printable } from '../../../output/printable.js';
import { summaryText } from '../../../output/summary.js';
import { colors } from '../../../output/text.js';
import type { Io } from '../../shared/command.js';
import { print } from '../../shared/output.js';
import { RunReport } from '../../shared/run-report.js';
import type { ImportFlags } from '../flags.js';
import { filesText } from '../../shared/files-text.js';
import { failureOf } from './failure-lines.js';
import { warnOfVisibleSecret } from '../../shared/secret-flags.js';

/** Most runs that are nearly done need no estimate. */
const estimateAfterMs = 300;

/** The output of an import that workers do: data on standard output, messages on standard error. */
export class SharedReport extends RunReport {
  readonly #flags: ImportFlags;
  readonly #io: Io;
  /** Lines of all files that are not blank; undefined until they are estimated. */
  #lines: number | undefined;
  #cancelEstimate: (() => void) | undefined;

  constructor(flags: ImportFlags, io: Io) {
    super(flags, io);
    this.#flags = flags;
    this.#io = io;
  }

  /** Standard error for others, whose lines must not damage the live one. */
  readonly stderr: Io['stderr'] = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      this.write(text.replace(/\n$/, ''));
      done();
    },
  });

  importing(files: readonly string[], urls: readonly string[]): void {
    this.say(`importing ${printable(filesText(files))} to ${urls.join(', ')}`);
  }

  /** The `ready` line: the run is planned. With `--detach`, the id alone is printed. */
  ready(files: readonly string[], kind: string, urls: readonly string[], run: string): void {
    warnOfVisibleSecret(this.#flags, this.#io);
    if (!this.#flags.json || this.#flags.detach) return;
    print(this.#io, JSON.stringify({ type: 'ready', files, target: { kind, urls }, run }));
  }

  /** With `--detach`: the id alone, also with `--json`. */
  detached(run: string): void {
    print(this.#io, run);
  }

  async start(counts: SnapshotCounts, { plan }: RunRecord): Promise<void> {
    await this.showProgress(counts, {
      total: () => this.#lines,
      workers: () => counts.workers,
      ...(plan.rate !== null && { maxRate: plan.rate }),
    });
    if (this.#flags.quiet) return;
    // Of an archive, the size says nothing of its entries.
    if (plan.files.some(({ entry }) => entry !== undefined)) return;
    const files = plan.files.map(({ path, size, layout = 'plain' as const, given }) => ({
      ...{ name: path, size, isFile: true, layout },
      ...(given && { given }),
    }));
    const estimate = async (): Promise<void> => {
      this.#lines = await estimateLines(files);
    };
    this.#cancelEstimate = systemClock.after(estimateAfterMs, () => void estimate());
  }

  override stop(): void {
    this.#cancelEstimate?.();
    super.stop();
  }

  /** Whether the next failure would be shown. */
  get wantsFailures(): boolean {
    return this.needsProblems && this.#flags.quiet !== true;
  }

  failure(line: Buffer): void {
    const shown = failureOf(line);
    if (shown) this.reportProblem(shown.place, shown);
  }

  override interrupted(): void {
    this.say('interrupted: the run continues without this process');
  }

  /** Prints the summary, then what to know and do next. */
  async conclude(
    summary: RunSummary,
    stopped: string | undefined,
    nextSteps: readonly string[],
  ): Promise<void> {
    const data = { type: 'summary', ...summary, ...(stopped !== undefined && { stopped }) };
    if (this.#flags.json) print(this.#io, JSON.stringify(data));
    else print(this.#io, await this.#text(summary));
    for (const problem of summary.problems) this.say(problemText(problem));
    for (const line of nextSteps) this.say(line);
  }

  async #text(summary: RunSummary): Promise<string> {
    const { stdout, env } = this.#io;
    return summaryText(summary, await colors(stdout, env, this.#flags.color));
  }
}

function problemText({ file, message, ranges }: RunProblem): string {
  // Some messages begin with the file.
  const prefix = `${file}: `;
  const what = message.startsWith(prefix) ? message.slice(prefix.length) : message;
  return `${printable(file)}: ${countOf(ranges, 'part')} failed: ${printable(what)}`;
}
