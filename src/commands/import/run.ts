import { defaults } from '../../defaults.js';
import { exitCodes } from '../../errors.js';
import { findInputs } from '../../input/input.js';
import { loadTransform } from '../../events/transform.js';
import type { AttemptLog } from '../../ledger/attempt-log.js';
import type { CommitStep } from '../../ledger/committer.js';
import type { Summary } from '../../ledger/summary.js';
import type { Io } from '../shared/command.js';
import { SingleThreadImport } from './single-thread.js';
import type { ImportFlags, MaxFailures } from './flags.js';
import { isSelected, type ImportEngine, type ImportListener, type ImportParts } from './parts.js';
import { ImportReport } from './report.js';
import { openState } from './state.js';
import { threadsFor } from './thread-count.js';
import { MultiThreadImport } from './threads.js';
import { Interruption } from '../shared/interruption.js';
import { ReplaySchedule } from './replay-schedule.js';
import { attemptLine } from '../shared/attempt-line.js';
import { resolveTarget } from '../shared/target-flags.js';

/** For tests that end the process between two steps of a commit. */
export interface ImportHooks {
  readonly onStep?: (step: CommitStep) => void;
}

/** Runs `import`, from flags to exit code. */
export async function importFiles(
  files: string[],
  flags: ImportFlags,
  io: Io,
  hooks: ImportHooks = {},
): Promise<void> {
  const replay = ReplaySchedule.from(flags);
  const settings = await resolveTarget(flags, io, defaults.retryWindowMs);
  const inputs = await findInputs(files);
  const transform =
    flags.transform === undefined ? undefined : await loadTransform(flags.transform);
  const state = await openState(inputs, settings, flags);
  try {
    const resumes = state.store.checkpoint().last.size > 0;
    const log = flags.log === undefined ? undefined : await openLog(flags.log, resumes);
    const { onStep } = hooks;
    await new ImportRun({
      ...{ inputs, flags, io, settings, state, log, transform, replay, onStep },
    }).run();
  } finally {
    state.close();
  }
}

/** Imported late: it takes 10 ms to load, and most runs have no log. */
async function openLog(path: string, resumes: boolean): Promise<AttemptLog> {
  const { AttemptLog } = await import('../../ledger/attempt-log.js');
  return new AttemptLog(path, resumes);
}

class ImportRun {
  readonly #parts: ImportParts;
  readonly #engine: ImportEngine;
  readonly #report: ImportReport;
  readonly #interruption: Interruption;
  #brokenInputs = 0;

  constructor(parts: ImportParts) {
    const { inputs, flags, io, state } = parts;
    const threads = threadsFor(parts);
    this.#parts = parts;
    this.#engine =
      threads > 0
        ? new MultiThreadImport(parts, this.#listener(), threads)
        : new SingleThreadImport(parts, this.#listener());
    this.#report = new ImportReport({ inputs, flags, io, ledger: this.#engine.counts, state });
    this.#interruption = new Interruption(() => this.#report.interrupted());
  }

  async run(): Promise<void> {
    const { replay, log, io } = this.#parts;
    try {
      await this.#forward();
      const hasReadAll = this.#interruption.exitCode === undefined && this.#brokenInputs === 0;
      const summary = this.#engine.finish(hasReadAll);
      try {
        await this.#closeLog();
      } finally {
        await this.#report.conclude(summary, replay?.summary(), this.#interruption.exitCode);
      }
      io.exit(this.#exitCode(summary));
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
      await replay?.announce(inputs, isSelected(this.#parts), this.#report);
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
      advance: (bytes) => this.#report.advance(bytes),
      attempt: (result) => {
        if (this.#parts.flags.verbose) this.#report.say(attemptLine(result));
      },
      problem: (problem) => this.#report.problem(problem),
      down: (url, isDown) => this.#report.down(url, isDown),
      broken: (error) => {
        this.#brokenInputs++;
        this.#report.broken(error);
      },
    };
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
