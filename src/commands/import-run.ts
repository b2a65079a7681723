import { randomUUID } from 'node:crypto';
import { systemClock } from '../clock.js';
import { defaults } from '../defaults.js';
import type { Outcome } from '../deliver/outcome.js';
import { Pace } from '../deliver/pace.js';
import { exitCodes } from '../errors.js';
import type { Event, Problem } from '../events/event.js';
import { findInputs, type Input } from '../events/input.js';
import { readBatches } from '../events/read.js';
import { selector } from '../events/select.js';
import { loadTransform, type Transform } from '../events/transform.js';
import { AttemptLog } from '../ledger/attempt-log.js';
import { FileWriter } from '../ledger/file-writer.js';
import { Ledger } from '../ledger/ledger.js';
import type { Summary } from '../ledger/summary.js';
import { printable } from '../output/printable.js';
import { showProgress, type Progress } from '../output/progress.js';
import { summaryText } from '../output/summary.js';
import { colours } from '../output/text.js';
import { run } from '../pipeline.js';
import type { Target } from '../target.js';
import type { Io } from './command.js';
import { deadLetterPath } from './dead-letter-path.js';
import { print, say } from './flags.js';
import { selectionOf, type ImportFlags, type MaxFailures } from './import-flags.js';
import { Interruption } from './interruption.js';
import { attemptLine } from './send-report.js';
import { openTarget, resolveTarget, type TargetSettings } from './target-flags.js';

/** So many events that were not delivered are shown, unless `--verbose`. */
const shownTroubles = 5;

/** The whole of `import`, from flags to exit code. */
export async function importFiles(files: string[], flags: ImportFlags, io: Io): Promise<void> {
  const settings = await resolveTarget(flags, io, defaults.retryWindowMs);
  const inputs = await findInputs(files);
  const transform =
    flags.transform === undefined ? undefined : await loadTransform(flags.transform);
  await new ImportRun(inputs, flags, io).run(settings, transform);
}

class ImportRun {
  readonly #inputs: readonly Input[];
  readonly #flags: ImportFlags;
  readonly #io: Io;
  readonly #ledger: Ledger;
  readonly #interruption: Interruption;
  #progress: Progress | undefined;
  #rawBytes = 0;
  #brokenInputs = 0;
  #troubles = 0;

  constructor(inputs: readonly Input[], flags: ImportFlags, io: Io) {
    const names = inputs.map(({ name }) => name);
    this.#inputs = inputs;
    this.#flags = flags;
    this.#io = io;
    this.#ledger = new Ledger({
      deadLetters: new FileWriter(
        deadLetterPath(flags.deadLetter, names, new Date()),
        'the dead-letter file',
      ),
      log: flags.log === undefined ? undefined : new AttemptLog(flags.log),
      clock: systemClock,
      onTrouble: (outcome, item) => this.#showTrouble(outcome, item),
    });
    this.#interruption = new Interruption(() => {
      this.#say('interrupted: waiting for what is in flight; once more quits at once');
    });
  }

  async run(settings: TargetSettings, transform: Transform | undefined): Promise<void> {
    const { concurrency } = this.#flags;
    try {
      const target = await openTarget(settings, {
        concurrency,
        onAttempt: (result, messageId) => {
          this.#ledger.attempt(result, messageId);
          if (this.#flags.verbose) this.#say(attemptLine(result));
        },
      });
      this.#announce(settings, target);
      await this.#startProgress();
      await this.#forward(target, transform).finally(() => target.close());
    } finally {
      this.#progress?.stop();
      this.#progress = undefined;
      this.#interruption.end();
    }
    await this.#conclude(await this.#ledger.finish());
  }

  async #forward(target: Target, transform: Transform | undefined): Promise<void> {
    const { ids, rate, limit } = this.#flags;
    const { signal, sleep } = this.#interruption;
    await run({
      source: this.#read(signal),
      isSelected: selector(selectionOf(this.#flags)),
      transform,
      limit: limit ?? Infinity,
      stamp: { ids, seed: randomUUID() },
      pace: rate === undefined ? undefined : new Pace(rate, systemClock),
      target,
      ledger: this.#ledger,
      now: Date.now,
      sleep,
      interrupted: signal,
    });
  }

  #read(signal: AbortSignal): AsyncIterable<(Event | Problem)[]> {
    return readBatches(this.#inputs, {
      stdin: this.#io.stdin,
      signal,
      onRaw: (bytes) => (this.#rawBytes += bytes),
      onBroken: (error) => {
        this.#brokenInputs++;
        this.#say(`evfwd: ${printable(error.message)}`, true);
      },
    });
  }

  #announce({ kind }: TargetSettings, target: Target): void {
    const files = this.#inputs.map(({ name }) => name);
    const { urls } = target;
    if (this.#flags.json)
      print(this.#io, JSON.stringify({ type: 'ready', files, target: { kind, urls } }));
    else this.#say(`importing ${printable(files.join(', '))} to ${urls.join(', ')}`);
  }

  async #startProgress(): Promise<void> {
    if (this.#flags.quiet) return;
    this.#progress = await showProgress(this.#io.stderr, () => ({
      read: this.#ledger.read,
      delivered: this.#ledger.count('delivered'),
      failed: this.#ledger.count('failed'),
      rejected: this.#ledger.count('rejected'),
      medianMs: this.#ledger.medianMs,
      share: this.#shareRead(),
    }));
  }

  #shareRead(): number | undefined {
    let total = 0;
    for (const { size } of this.#inputs) {
      if (size === undefined) return undefined;
      total += size;
    }
    return total === 0 ? undefined : Math.min(1, this.#rawBytes / total);
  }

  #showTrouble({ verdict, message }: Outcome, { origin }: Event | Problem): void {
    this.#troubles++;
    if (this.#troubles > shownTroubles && !this.#flags.verbose) return;
    this.#say(`${printable(origin.file)}:${origin.line}: ${verdict}: ${printable(message ?? '')}`);
    if (this.#troubles === shownTroubles && !this.#flags.verbose) {
      this.#say('more like these are only counted; --verbose shows all');
    }
  }

  async #conclude(summary: Summary): Promise<void> {
    const { json, color } = this.#flags;
    if (json) print(this.#io, JSON.stringify({ type: 'summary', ...summary }));
    else print(this.#io, summaryText(summary, await colours(this.#io.stdout, this.#io.env, color)));
    if (summary.deadLetter !== null) {
      this.#say(
        `dead letters in ${summary.deadLetter}; evfwd import ${summary.deadLetter} sends exactly those`,
      );
    }
    this.#io.exit(this.#exitCode(summary));
  }

  #exitCode(summary: Summary): number {
    if (this.#interruption.exitCode !== undefined) return this.#interruption.exitCode;
    if (this.#brokenInputs > 0) return exitCodes.incomplete;
    const failures = summary.rejected + summary.failed;
    return failures > allowedFailures(this.#flags.maxFailures, summary.read)
      ? exitCodes.incomplete
      : exitCodes.ok;
  }

  #say(text: string, isError = false): void {
    if (this.#flags.quiet && !isError) return;
    if (this.#progress) this.#progress.say(text);
    else say(this.#io, text);
  }
}

function allowedFailures(limit: MaxFailures | undefined, read: number): number {
  if (!limit) return 0;
  return 'events' in limit ? limit.events : limit.share * read;
}
