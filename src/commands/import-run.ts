import { systemClock } from '../clock.js';
import { defaults } from '../defaults.js';
import { Order } from '../deliver/order.js';
import { Pace } from '../deliver/pace.js';
import { sleepUntil, steadyClock } from '../deliver/sleep.js';
import { exitCodes } from '../errors.js';
import type { Event, Problem } from '../events/event.js';
import { findInputs, isGzipFile, type Input } from '../events/input.js';
import { readBatches } from '../events/read.js';
import { selector } from '../events/select.js';
import { loadTransform, type Transform } from '../events/transform.js';
import { AttemptLog } from '../ledger/attempt-log.js';
import { StoreCommitter, type CommitStep } from '../ledger/committer.js';
import { Ledger } from '../ledger/ledger.js';
import { restOf } from '../ledger/resume.js';
import type { Summary } from '../ledger/summary.js';
import { run, type Pacer } from '../pipeline.js';
import type { Target } from '../target.js';
import type { Io } from './command.js';
import { selectionOf, type ImportFlags, type MaxFailures } from './import-flags.js';
import { ImportReport } from './import-report.js';
import { openState, type ImportState } from './import-state.js';
import { Interruption } from './interruption.js';
import { Replay } from './replay.js';
import { attemptLine } from './send-report.js';
import { openTarget, resolveTarget, type TargetSettings } from './target-flags.js';

/** With `--ordered`: so many events may wait for one of the same user before reading pauses. */
const maxHeld = 1_000;

const orderedFlushMs = 10;

/** For tests that end the process between two steps of a commit. */
export interface ImportHooks {
  readonly onStep?: (step: CommitStep) => void;
}

/** The whole of `import`, from flags to exit code. */
export async function importFiles(
  files: string[],
  flags: ImportFlags,
  io: Io,
  hooks: ImportHooks = {},
): Promise<void> {
  const replay = Replay.from(flags);
  const settings = await resolveTarget(flags, io, defaults.retryWindowMs);
  const inputs = await findInputs(files);
  const transform =
    flags.transform === undefined ? undefined : await loadTransform(flags.transform);
  const state = await openState(inputs, settings, flags);
  try {
    const goesOn = state.store.place().last.length > 0;
    const log = flags.log === undefined ? undefined : new AttemptLog(flags.log, goesOn);
    const parts = { inputs, flags, io, settings, state, log, transform, replay, hooks };
    await new ImportRun(parts).run();
  } finally {
    state.close();
  }
}

interface ImportParts {
  readonly inputs: readonly Input[];
  readonly flags: ImportFlags;
  readonly io: Io;
  readonly settings: TargetSettings;
  readonly state: ImportState;
  readonly log: AttemptLog | undefined;
  readonly transform: Transform | undefined;
  readonly replay: Replay | undefined;
  readonly hooks: ImportHooks;
}

class ImportRun {
  readonly #parts: ImportParts;
  readonly #ledger: Ledger;
  readonly #report: ImportReport;
  readonly #interruption: Interruption;
  readonly #replay: Replay | undefined;
  #brokenInputs = 0;

  constructor(parts: ImportParts) {
    const { inputs, flags, io, state, log, transform, hooks } = parts;
    const isPlain = inputs.map((input) => input.isFile && !isGzipFile(input));
    this.#parts = parts;
    this.#ledger = new Ledger({
      store: state.store,
      committer: new StoreCommitter(state.store, state.letters, hooks.onStep),
      letterPath: state.letters.path,
      files: inputs.map(({ name }) => name),
      canReread: (file) => isPlain[file] === true && transform === undefined,
      isResumable: state.isResumable,
      log,
      clock: systemClock,
      onTrouble: (outcome, item) => this.#report.trouble(outcome, item),
    });
    this.#report = new ImportReport({ inputs, flags, io, ledger: this.#ledger, state });
    this.#interruption = new Interruption(() => this.#report.interrupted());
    this.#replay = parts.replay;
  }

  async run(): Promise<void> {
    try {
      const target = await this.#openTarget();
      this.#report.announce(target.urls, this.#parts.settings.kind);
      await this.#replay?.announce(this.#parts.inputs, this.#isSelected(), this.#report);
      await this.#report.start();
      await this.#forward(target).finally(() => target.close());
    } finally {
      this.#report.stop();
      this.#interruption.end();
    }
    const hasReadAll = this.#interruption.exitCode === undefined && this.#brokenInputs === 0;
    const summary = await this.#ledger.finish(hasReadAll);
    await this.#report.conclude(summary, this.#replay?.summary(), this.#interruption.exitCode);
    this.#parts.io.exit(this.#exitCode(summary));
  }

  #openTarget(): Promise<Target> {
    const { settings, flags } = this.#parts;
    return openTarget(settings, {
      concurrency: flags.concurrency,
      handsBack: true,
      // The next event of a user waits for the one before it, so a batch hardly ever fills.
      ...(flags.ordered && { flushAfterMs: orderedFlushMs }),
      onDown: (url, isDown) => this.#report.down(url, isDown),
      onAttempt: (result, messageId) => {
        this.#ledger.attempt(result, messageId);
        if (flags.verbose) this.#report.say(attemptLine(result));
      },
    });
  }

  async #forward(target: Target): Promise<void> {
    const { flags, state, transform } = this.#parts;
    const { signal } = this.#interruption;
    await run({
      source: this.#read(signal),
      isSelected: this.#isSelected(),
      transform,
      limit: this.#limitLeft(),
      stamp: { ids: flags.ids, seed: state.seed },
      pacers: this.#pacers(),
      order: flags.ordered ? this.#order() : undefined,
      target,
      ledger: this.#ledger,
      clock: systemClock,
      sleep: (ms) => sleepUntil(steadyClock.now() + ms, steadyClock, signal),
      interrupted: signal,
    });
  }

  #isSelected(): (event: Event) => boolean {
    return selector(selectionOf(this.#parts.flags, this.#parts.state));
  }

  /** `--limit` counts over all runs of an import. */
  #limitLeft(): number {
    const { flags, state } = this.#parts;
    if (flags.limit === undefined) return Infinity;
    const { delivered, failed } = state.store.counts();
    return Math.max(0, flags.limit - delivered - failed - state.store.retryCount());
  }

  #pacers(): Pacer[] {
    const { rate } = this.#parts.flags;
    const pacers: Pacer[] = [];
    if (this.#replay) pacers.push(this.#replay);
    if (rate !== undefined) {
      const pace = new Pace(rate, steadyClock);
      pacers.push({ waitFor: () => pace.turn() });
    }
    return pacers;
  }

  #order(): Order<() => void> {
    const order = new Order<() => void>((start) => start(), maxHeld);
    for (const user of this.#ledger.waitingUsers()) order.block(user);
    return order;
  }

  #read(signal: AbortSignal): AsyncIterable<(Event | Problem)[]> {
    const place = this.#parts.state.store.place();
    return readBatches(this.#parts.inputs, {
      stdin: this.#parts.io.stdin,
      signal,
      rest: (index) => restOf(place, index),
      onRaw: (bytes) => this.#report.advance(bytes),
      onBroken: (error) => {
        this.#brokenInputs++;
        this.#report.broken(error);
      },
    });
  }

  #exitCode(summary: Summary): number {
    if (this.#interruption.exitCode !== undefined) return this.#interruption.exitCode;
    if (this.#brokenInputs > 0) return exitCodes.incomplete;
    const failures = summary.rejected + summary.failed;
    return failures > allowedFailures(this.#parts.flags.maxFailures, summary.read)
      ? exitCodes.incomplete
      : exitCodes.ok;
  }
}

function allowedFailures(limit: MaxFailures | undefined, read: number): number {
  if (!limit) return 0;
  return 'events' in limit ? limit.events : limit.share * read;
}
