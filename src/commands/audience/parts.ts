import type { AudienceName } from '../../audience/identify.js';
import { stageList, type Staged } from '../../audience/stage-list.js';
import type { AudienceStore } from '../../audience/store.js';
import type { TargetSettings } from '../../config/open-target.js';
import { UsageError } from '../../errors.js';
import type { Input } from '../../sources/input.js';
import { count } from '../../output/numbers.js';
import type { AudienceFlags } from './flags.js';
import type { Io } from '../shared/command.js';

/** The parts of a run of `audience`. */
export interface AudienceParts {
  readonly audience: Pick<AudienceName, 'kind' | 'property'>;
  readonly flags: AudienceFlags;
  readonly io: Io;
  readonly settings: TargetSettings;
  readonly input: Input;
}

/**
 * Reads the list into the store.
 * @throws UsageError when CSV has no usable header, or a list is unexpectedly empty.
 */
export async function readList(
  { audience, flags, io, input }: AudienceParts,
  store: AudienceStore,
  signal: AbortSignal,
): Promise<Staged> {
  const list = { ...audience, file: input.name };
  const staged = await stageList(store, input, list, { stdin: io.stdin, signal });
  const members = store.members();
  const isCleared = staged.removals === 'sent' && store.stagedUsers() === 0 && members > 0;
  if (!isCleared || flags.allowEmpty || signal.aborted) return staged;
  throw new UsageError(
    `${input.name}: is empty, and ${count(members)} users would leave; check the list, or use --allow-empty to remove them`,
    'empty_list',
  );
}
