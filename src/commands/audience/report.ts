import type { AudienceKind } from '../../audience/row.js';
import type { Comparison, Plan } from '../../audience/store.js';
import type { Outcome } from '../../delivery/outcome.js';
import { isProblem, type Event, type Problem } from '../../events/event.js';
import { problemOf } from '../../importer/reported-event.js';
import type { RunCounts, Summary } from '../../ledger/summary.js';
import { printable } from '../../output/printable.js';
import { count } from '../../output/numbers.js';
import { summaryText } from '../../output/summary.js';
import { colors } from '../../output/text.js';
import type { AudienceParts } from './parts.js';
import { comparisonData, comparisonText, repeatedText, withheldText } from './messages.js';
import { print } from '../shared/output.js';
import { savedText, urlWarnings } from '../shared/next-steps.js';
import { RunReport } from '../shared/run-report.js';
import { warnOfVisibleSecret } from '../shared/secret-flags.js';

/** The output of `audience`: data on standard output, messages on standard error. */
export class AudienceReport extends RunReport {
  readonly #parts: AudienceParts;

  constructor(parts: AudienceParts) {
    super(parts.flags, parts.io);
    this.#parts = parts;
  }

  /** Reports what starts. */
  announce(urls: readonly string[]): void {
    const { audience, input, settings, flags, io } = this.#parts;
    warnOfVisibleSecret(flags, io);
    const { property } = audience;
    const file = input.name;
    const target = { kind: settings.kind, urls };
    if (flags.json) print(io, JSON.stringify({ type: 'ready', property, file, target }));
    else this.say(`sending ${property} from ${printable(file)} to ${urls.join(', ')}`);
  }

  hasOtherCredentials(): void {
    this.say(
      'the shared secret or a header value has changed since the last run: only changes are sent with the new values (--fresh sends everything again)',
    );
  }

  /** An earlier run left an unfinished plan. */
  resumes({ size }: Plan): void {
    this.say(`resuming an unfinished run first: ${count(size)} changes`);
  }

  compared(kind: AudienceKind, comparison: Comparison): void {
    this.say(comparisonText(kind, comparison));
    if (this.#parts.flags.verbose && comparison.repeated > 0) this.say(repeatedText(comparison));
    if (comparison.withheld > 0) this.say(withheldText(comparison.withheld));
  }

  start(ledger: RunCounts, { size }: Plan): Promise<void> {
    const { rate } = this.#parts.flags;
    return this.showProgress(ledger, { total: () => size, maxRate: rate });
  }

  /** A line is not a valid row, or a change was not delivered. */
  problem(outcome: Outcome, item: Event | Problem, { file }: Plan): void {
    this.reportProblem(placeOf(item, file), problemOf(outcome, item));
  }

  /** The credentials are refused. */
  stopping(reason: string): void {
    this.say(`stopping: ${reason}; finishing in-flight requests`);
  }

  /**
   * Prints the summary and the next step; without a summary nothing was started.
   * @param isCut whether it ended before its end; of itself for the reason `stopped`
   */
  async conclude(
    summary: Summary | undefined,
    comparison: Comparison | undefined,
    isCut: boolean,
    stopped: string | undefined,
  ): Promise<void> {
    const { audience, flags, io } = this.#parts;
    const compared = comparison && comparisonData(audience.kind, comparison);
    if (flags.json && summary) {
      print(io, JSON.stringify({ type: 'summary', ...compared, ...summary, stopped }));
    } else if (summary) {
      print(io, summaryText(summary, await colors(io.stdout, io.env, flags.color)));
    }
    if (summary) for (const warning of urlWarnings({ flags }, summary)) this.say(warning);
    if (summary?.deadLetter) this.write(`${savedText(summary.deadLetter, 'events')}; ${nextStep}`);
    if (stopped !== undefined) this.say(`stopped: ${stopped}; the rest is pending`);
    const cause = stopped === undefined ? '' : 'fix the cause and ';
    if (isCut) this.say(`${cause}run the same command again to resume`);
  }
}

const nextStep = 'fix the list or the target, and run the same command again';

function placeOf(item: Event | Problem, file: string): string {
  if (item.origin.file === file) return `${printable(file)}:${item.origin.line}`;
  return isProblem(item) ? 'a change' : `user ${printable(String(item.value.userId))}`;
}
