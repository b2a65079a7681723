import type { EvfwdError } from '../../errors.js';
import type { RunCounts } from '../../ledger/summary.js';
import { printable } from '../../output/printable.js';
import { showProgress, type Progress } from '../../output/progress.js';
import type { Io } from './command.js';
import { say, type OutputFlags } from './flags.js';

/** How many undelivered events are shown without `--verbose`. */
const shownProblems = 5;

/** Progress messages on standard error for every run that sends many events. */
export class RunReport {
  readonly #flags: OutputFlags;
  readonly #io: Io;
  #progress: Progress | undefined;
  #problems = 0;

  constructor(flags: OutputFlags, io: Io) {
    this.#flags = flags;
    this.#io = io;
  }

  say(text: string): void {
    if (!this.#flags.quiet) this.#write(text);
  }

  /** Shows the progress; `share` is between 0 and 1, or undefined if the total is unknown. */
  async showProgress(ledger: RunCounts, share: () => number | undefined): Promise<void> {
    if (this.#flags.quiet) return;
    this.#progress = await showProgress(this.#io.stderr, () => ({
      read: ledger.read,
      delivered: ledger.count('delivered'),
      failed: ledger.count('failed'),
      rejected: ledger.count('rejected'),
      waiting: ledger.waiting,
      medianMs: ledger.medianMs,
      share: share(),
    }));
  }

  stop(): void {
    this.#progress?.stop();
    this.#progress = undefined;
  }

  /** An event was neither delivered nor skipped; `place` names it. */
  reportProblem(place: string, verdict: string, message: string): void {
    const { verbose } = this.#flags;
    this.#problems++;
    if (this.#problems > shownProblems && !verbose) return;
    this.say(`${place}: ${verdict}: ${printable(message)}`);
    if (this.#problems === shownProblems && !verbose) {
      this.say('further failures are counted but not shown; use --verbose to see all');
    }
  }

  down(url: string, isDown: boolean): void {
    this.say(
      isDown
        ? `${url}: unreachable; probing once per second until it recovers`
        : `${url}: reachable again`,
    );
  }

  broken({ code, message }: Pick<EvfwdError, 'code' | 'message'>): void {
    const text = printable(message);
    const asJson = JSON.stringify({ error: { code, message: text } });
    this.#write(this.#flags.json ? asJson : `evfwd: ${text}`);
  }

  interrupted(): void {
    this.say('interrupted: finishing in-flight requests; press Ctrl-C again to quit now');
  }

  #write(text: string): void {
    if (this.#progress) this.#progress.say(text);
    else say(this.#io, text);
  }
}
