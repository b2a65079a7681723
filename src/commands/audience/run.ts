import type { AudienceKind } from '../../audience/row.js';
import { defaults } from '../../defaults.js';
import { MissingTargetError } from '../../config/missing-target.js';
import { findInputs } from '../../sources/find-inputs.js';
import type { CommitStep } from '../../ledger/committer.js';
import { audienceName, completeFlags, listOf, type GivenAudienceFlags } from './flags.js';
import { previewAudience } from './preview.js';
import { sendAudience } from './send.js';
import type { Io } from '../shared/command.js';
import { missingTarget } from '../shared/missing.js';
import { resolveTarget } from '../shared/target-flags.js';

/** For tests that end the process between two steps of a commit. */
export interface AudienceHooks {
  readonly onStep?: (step: CommitStep) => void;
}

/** Runs `audience sync` and `audience trait`, from flags to exit code. */
export async function runAudience(
  kind: AudienceKind,
  given: GivenAudienceFlags,
  io: Io,
  hooks: AudienceHooks = {},
): Promise<void> {
  const settings = await resolveTarget(given, io, defaults.retryWindowMs).catch(missingTarget);
  const isMissing = settings instanceof MissingTargetError;
  const flags = completeFlags(kind, given, isMissing ? settings : undefined);
  if (isMissing) throw settings;
  const audience = audienceName(kind, flags);
  const [input] = await findInputs([listOf(flags)], { expands: false });
  const parts = { audience, flags, io, settings, input: input! };
  if (flags.dryRun) await previewAudience(parts);
  else await sendAudience(parts, hooks.onStep);
}
