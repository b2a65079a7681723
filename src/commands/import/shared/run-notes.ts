import type { RunSnapshot } from '../../../importer/shared/run-record.js';
import type { TypedFlag } from '../../flags/flag.js';
import { storeCommand, storeVariable, workerCommand } from '../../flags/next-command.js';
import type { SharedReport } from './report.js';

/** Whoever starts workers in another terminal needs a moment. */
const workersWithinMs = 5_000;

/** Says what keeps a run from going on: that it is paused, or has no workers. */
export class RunNotes {
  readonly #report: SharedReport;
  readonly #typed: readonly TypedFlag[];
  readonly #startedAt = performance.now();
  #isPaused = false;
  #needsWorkers = true;

  constructor(report: SharedReport, typed: readonly TypedFlag[]) {
    this.#report = report;
    this.#typed = typed;
  }

  look({ record, workers }: RunSnapshot): void {
    this.#notePause(record.id, record.status === 'paused');
    if (workers.length > 0) this.#needsWorkers = false;
    if (!this.#needsWorkers || this.#isPaused) return;
    if (performance.now() - this.#startedAt < workersWithinMs) return;
    this.#needsWorkers = false;
    this.#say('no workers yet; start one with', workerCommand(this.#typed));
  }

  #notePause(run: string, isPaused: boolean): void {
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    if (!isPaused) this.#report.say(`run ${run} was resumed`);
    else
      this.#say(
        `run ${run} is paused; resume it with`,
        storeCommand(`evfwd runs resume ${run}`, this.#typed),
      );
  }

  #say(what: string, command: string): void {
    this.#report.say(`${what}: ${command}${storeVariable(this.#typed)}`);
  }
}
