import type { Plan } from '../../../importer/shared/plan.js';
import type { RunStore } from '../../../importer/shared/run-store.js';
import type { Input } from '../../../sources/input.js';
import type { Lock } from '../../../storage/lock.js';
import type { Io } from '../../shared/command.js';
import type { TypedFlag } from '../../flags/flag.js';
import type { ImportFlags } from '../flags.js';
import type { SharedReport } from './report.js';

/** The call of `import --store`. */
export interface SharedCall {
  /** As they were typed, as are `typed`, for commands that are printed. */
  readonly files: string[];
  readonly flags: ImportFlags;
  readonly typed: readonly TypedFlag[];
  readonly io: Io;
  /** `store:` of the configuration file, if no flag or variable names one. */
  readonly configured?: string | undefined;
}

/** What a run needs that is known before the store is asked. */
export interface PreparedRun extends SharedCall {
  readonly plan: Plan;
  /** Of the import. */
  readonly identity: string;
  /** What is behind URLs, by the path in the plan. */
  readonly remote: ReadonlyMap<string, Input>;
  /** Names of the event files. */
  readonly names: readonly string[];
  /** Of the target, for display. */
  readonly urls: readonly string[];
  readonly server: RunStore;
  readonly report: SharedReport;
  /** Of the file of `--dead-letter`; undefined without one, or while another process has it. */
  readonly lock: Lock | undefined;
}
