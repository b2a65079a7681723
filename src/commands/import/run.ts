import { exitCodes } from '../../errors.js';
import { systemPlatform } from '../../delivery/platform.js';
import { loadTransform } from '../../events/transform.js';
import { sharesOf, type Shard } from '../../input/shard.js';
import { estimateDuration } from '../../input/spacing.js';
import type { CommitStep } from '../../ledger/committer.js';
import type { Summary } from '../../ledger/summary.js';
import { JobThread } from '../../importer/workers/job-thread.js';
import type { Io } from '../shared/command.js';
import { SingleThreadImport } from './single-thread.js';
import { exitCodeOf } from '../shared/exit-code.js';
import type { ImportFlags } from './flags.js';
import { prepare } from './prepare.js';
import { isSelected, type ImportEngine, type ImportListener, type ImportParts } from './parts.js';
import { ImportReport } from './report.js';
import { checkNotRunning, openState } from './state.js';
import { checkShardInputs, resolveShard, withShard } from './shard.js';
import { threadsFor } from './thread-count.js';
import { MultiThreadImport } from './threads.js';
import { Interruption } from '../shared/interruption.js';
import { openLog } from '../shared/open-log.js';
import { RunStop } from '../shared/run-stop.js';
import { ReplaySchedule } from '../shared/replay-schedule.js';
import type { TypedFlag } from '../flags/flag.js';

export interface ImportOptions {
  /** The flags as they were typed, for commands that are printed. */
  readonly typed?: readonly TypedFlag[];
  /** For tests that end the process between two steps of a commit. */
  readonly onStep?: (step: CommitStep) => void;
}

/** Runs `import`, from flags to exit code. */
export async function importFiles(
  files: string[],
  given: ImportFlags,
  io: Io,
  options: ImportOptions = {},
): Promise<void> {
  if (given.queue !== undefined || io.env.EVFWD_QUEUE) {
    const { importByQueue } = await import('./queue/run.js');
    await importByQueue({ files, flags: given, typed: options.typed ?? [], io });
    return;
  }
  const shard = resolveShard(given, io.env);
  const { flags, typed } = flagsOf(shard, given, options.typed ?? []);
  const replay = ReplaySchedule.from(flags);
  const { settings, inputs } = await prepare(files, flags, io, (prepared) =>
    checkNotRunning(prepared, flags, shard),
  );
  if (shard) checkShardInputs(inputs);
  const transform =
    flags.transform === undefined ? undefined : await loadTransform(flags.transform);
  const shares = shard && sharesOf(inputs, shard, flags.ordered === true);
  const state = await openState(inputs, settings, flags, shard);
  try {
    const resumes = state.store.hasBegun();
    const log = await openLog(flags.log, resumes);
    await new ImportRun({
      ...{
        inputs,
        files,
        flags,
        typed,
        io,
        settings,
        state,
        log,
        transform,
        replay,
        shard,
        shares,
      },
      onStep: options.onStep,
      platform: systemPlatform,
      newThread: () => new JobThread(),
    }).run();
  } finally {
    state.close();
  }
}

/** The flags of this process: with shards, each has its part of the rate. */
function flagsOf(
  shard: Shard | undefined,
  flags: ImportFlags,
  typed: readonly TypedFlag[],
): { flags: ImportFlags; typed: readonly TypedFlag[] } {
  if (!shard) return { flags, typed };
  const { rate } = flags;
  return {
    flags: { ...flags, ...(rate !== undefined && { rate: rate / shard.count }) },
    typed: withShard(typed, shard),
  };
}

class ImportRun {
  readonly #parts: ImportParts;
  readonly #engine: ImportEngine;
  readonly #report: ImportReport;
  readonly #interruption: Interruption;
  readonly #stop: RunStop;
  #brokenInputs = 0;

  constructor(parts: ImportParts) {
    const threads = threadsFor(parts);
    this.#parts = parts;
    this.#engine =
      threads > 0
        ? new MultiThreadImport(parts, this.#listener(), threads)
        : new SingleThreadImport(parts, this.#listener());
    this.#report = new ImportReport({ ...parts, counts: this.#engine.counts });
    this.#interruption = new Interruption(() => this.#report.interrupted());
    this.#stop = new RunStop({
      limit: parts.flags.stopAfter,
      interruption: this.#interruption,
      counts: this.#engine.counts,
      onStop: (reason) => this.#report.stopping(reason),
    });
  }

  async run(): Promise<void> {
    const { replay, log, io } = this.#parts;
    try {
      await this.#forward();
      const stopReason = this.#stop.reason;
      const isInterrupted = this.#interruption.exitCode !== undefined;
      const isCut = isInterrupted || stopReason !== undefined;
      const summary = this.#engine.finish(!isCut && this.#brokenInputs === 0);
      try {
        await this.#closeLog();
      } finally {
        await this.#report.conclude(summary, replay?.summary(), { isInterrupted, stopReason });
      }
      io.exit(stopReason === undefined ? this.#exitCode(summary) : this.#stoppedCode());
    } finally {
      this.#interruption.end();
      log?.abandon();
    }
  }

  async #forward(): Promise<void> {
    const { replay, inputs, settings } = this.#parts;
    const { signal } = this.#interruption;
    try {
      this.#report.announce(await this.#engine.urls(), settings.kind);
      await replay?.announce(
        (options) => estimateDuration(inputs, { ...options, isSelected: isSelected(this.#parts) }),
        this.#report,
      );
      await this.#report.start();
      await this.#engine.forward(signal);
    } finally {
      this.#report.stop();
    }
  }

  /** Waits for the reader of the log until Ctrl-C; the state is saved by then. */
  async #closeLog(): Promise<void> {
    const { log, flags } = this.#parts;
    const unwritten = await log?.close(this.#interruption.signal);
    if (unwritten) this.#report.unwritten(flags.log ?? '', unwritten);
  }

  #listener(): ImportListener {
    return {
      attempt: (attempt) => this.#report.attempt(attempt),
      problem: (problem) => this.#report.problem(problem),
      counted: () => this.#stop.counted(),
      next: () => this.#stop.next(),
      down: (...change) => this.#report.down(...change),
      broken: (error) => {
        this.#brokenInputs++;
        this.#report.broken(error);
      },
    };
  }

  #stoppedCode(): number {
    return this.#interruption.exitCode ?? exitCodes.incomplete;
  }

  #exitCode(summary: Summary): number {
    if (this.#interruption.exitCode !== undefined) return this.#interruption.exitCode;
    if (this.#brokenInputs > 0) return exitCodes.incomplete;
    return exitCodeOf(summary, this.#parts.flags.maxFailures);
  }
}
