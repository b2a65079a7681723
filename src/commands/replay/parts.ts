import type { AttemptLog } from '../../ledger/attempt-log.js';
import type { SingleItemKind } from '../../ledger/item-kind.js';
import type { Io } from '../shared/command.js';
import type { SpeedSchedule } from '../../run/speed-schedule.js';
import type { RunState } from '../shared/run-state.js';
import type { RecordChanges } from '../../steps/changes.js';
import type { TypedFlag } from '../flags/flag.js';
import type { Captures } from './captures.js';
import type { ReplayFlags } from './flags.js';
import type { Prepared } from './prepare.js';

/** How `replay` was called. */
export interface ReplayCall {
  /** The files that were passed as arguments. */
  readonly files: readonly string[];
  readonly flags: ReplayFlags;
  /** The flags as they were typed, for commands that are printed. */
  readonly typed: readonly TypedFlag[];
  readonly io: Io;
}

/** How `replay --candidate` was called. */
export interface CandidateCall extends ReplayCall {
  readonly candidate: string;
  /** Whether headers are compared, too. */
  readonly withHeaders: boolean;
}

/** The parts of a replay. */
export interface ReplayParts extends ReplayCall, Prepared, Captures {
  readonly items: SingleItemKind;
  /** What is done to each body. */
  readonly changes: RecordChanges | undefined;
  readonly state: RunState;
  readonly log: AttemptLog | undefined;
  readonly schedule: SpeedSchedule | undefined;
}
