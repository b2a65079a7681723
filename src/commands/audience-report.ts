import type { AudienceKind } from '../audience/row.js';
import type { Comparison, Plan } from '../audience/store.js';
import type { Outcome } from '../deliver/outcome.js';
import type { EvfwdError } from '../errors.js';
import { isProblem, type Event, type Problem } from '../events/event.js';
import type { RunCounts, Summary } from '../ledger/summary.js';
import { printable } from '../output/printable.js';
import { count, showProgress, type Progress } from '../output/progress.js';
import { summaryText } from '../output/summary.js';
import { colours } from '../output/text.js';
import type { AudienceParts } from './audience-parts.js';
import { comparisonData, comparisonText, withheldText } from './audience-words.js';
import { print, say } from './flags.js';

/** So many events that were not delivered are shown, unless `--verbose`. */
const shownTroubles = 5;

/** Everything that `audience` says: data on standard output, all for people on standard error. */
export class AudienceReport {
  readonly #parts: AudienceParts;
  #progress: Progress | undefined;
  #troubles = 0;

  constructor(parts: AudienceParts) {
    this.#parts = parts;
  }

  say(text: string): void {
    if (!this.#parts.flags.quiet) this.#write(text);
  }

  /** Says what begins. */
  announce(urls: readonly string[]): void {
    const { audience, input, settings, flags, io } = this.#parts;
    const { property } = audience;
    const file = input.name;
    const target = { kind: settings.kind, urls };
    if (flags.json) print(io, JSON.stringify({ type: 'ready', property, file, target }));
    else this.say(`${property} of ${printable(file)} to ${urls.join(', ')}`);
  }

  /** An earlier run has left a plan. */
  goesOn({ size }: Plan): void {
    this.say(`first, an unfinished run goes on: ${count(size)} changes`);
  }

  compared(kind: AudienceKind, comparison: Comparison): void {
    this.say(comparisonText(kind, comparison));
    if (comparison.withheld > 0) this.say(withheldText(comparison.withheld));
  }

  async start(ledger: RunCounts, { size }: Plan): Promise<void> {
    const { flags, io } = this.#parts;
    if (flags.quiet) return;
    this.#progress = await showProgress(io.stderr, () => ({
      read: ledger.read,
      delivered: ledger.count('delivered'),
      failed: ledger.count('failed'),
      rejected: ledger.count('rejected'),
      waiting: ledger.waiting,
      medianMs: ledger.medianMs,
      share: size > 0 ? Math.min(1, ledger.read / size) : undefined,
    }));
  }

  stop(): void {
    this.#progress?.stop();
    this.#progress = undefined;
  }

  /** A line is no row, or a change was not delivered. */
  trouble({ verdict, message = '' }: Outcome, item: Event | Problem, { file }: Plan): void {
    const { verbose } = this.#parts.flags;
    this.#troubles++;
    if (this.#troubles > shownTroubles && !verbose) return;
    this.say(`${placeOf(item, file)}: ${verdict}: ${printable(message)}`);
    if (this.#troubles === shownTroubles && !verbose) {
      this.say('more like these are only counted; --verbose shows all');
    }
  }

  down(url: string, isDown: boolean): void {
    this.say(isDown ? `${url}: down; single events go out until it answers` : `${url}: up again`);
  }

  broken({ code, message }: EvfwdError): void {
    const text = printable(message);
    const asJson = JSON.stringify({ error: { code, message: text } });
    this.#write(this.#parts.flags.json ? asJson : `evfwd: ${text}`);
  }

  interrupted(): void {
    this.say('interrupted: waiting for what is in flight; once more quits at once');
  }

  /** The summary, and what to do next; without a summary nothing was begun. */
  async conclude(
    summary: Summary | undefined,
    comparison: Comparison | undefined,
    interruptedWith: number | undefined,
  ): Promise<void> {
    const { audience, flags, io } = this.#parts;
    const compared = comparison && comparisonData(audience.kind, comparison);
    if (flags.json && summary) {
      print(io, JSON.stringify({ type: 'summary', ...compared, ...summary }));
    } else if (summary) {
      print(io, summaryText(summary, await colours(io.stdout, io.env, flags.color)));
    }
    if (summary?.deadLetter) {
      this.say(`what was not delivered is in ${printable(summary.deadLetter)}; ${again}`);
    }
    if (interruptedWith !== undefined) this.say('to go on, run the same command again');
  }

  #write(text: string): void {
    if (this.#progress) this.#progress.say(text);
    else say(this.#parts.io, text);
  }
}

const again = 'mend the list or the target, and run the same command again';

function placeOf(item: Event | Problem, file: string): string {
  if (item.origin.file === file) return `${printable(file)}:${item.origin.line}`;
  return isProblem(item) ? 'a change' : `user ${printable(String(item.value.userId))}`;
}
