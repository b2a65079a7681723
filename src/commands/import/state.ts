import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TargetSettings } from '../../config/open-target.js';
import { addressOf, credentialsOf, slowHash } from '../../config/target-identity.js';
import type { Input } from '../../sources/input.js';
import type { Shard } from '../../sources/shard.js';
import { identityOf } from '../flags/flag.js';
import {
  hashOfPaths,
  openInMemory,
  openRunState,
  shortName,
  type RunState,
} from '../shared/run-state.js';
import { throwIfHeld } from '../../storage/lock.js';
import { defaultStateDir } from '../shared/state-dir.js';
import type { RecordChanges } from '../../steps/changes.js';
import { identityOfChanges } from '../shared/changes.js';
import { importFlags, type ImportFlags } from './flags.js';
import type { Prepared } from './prepare.js';
import { checkDivision, removeOtherDivisions, shardName, shardSuffix } from './shard-states.js';

/**
 * Opens the state of an import, identified by its files, its target and the options that change what
 * is sent; each of its shards has a state of its own.
 * @throws UsageError when another process runs it, a file has changed, other shards were started than now,
 * or the state cannot be read; StateError when it cannot be written.
 */
export async function openState(
  inputs: readonly Input[],
  settings: TargetSettings,
  flags: ImportFlags,
  changes: RecordChanges | undefined,
  shard?: Shard,
): Promise<RunState> {
  const [base, credentials] = await Promise.all([
    stateName(inputs, settings, flags, changes),
    slowHash(credentialsOf(settings), hashOfPaths(inputs)),
  ]);
  const isOrdered = flags.ordered === true;
  return openRunState({
    inputs,
    flags,
    credentials,
    name: base + shardSuffix(shard, isOrdered),
    holder: shardName(shard),
    onLocked: (folder) => {
      if (!flags.fresh) checkDivision(folder, base, shard, isOrdered);
    },
    onFresh: (folder) => removeOtherDivisions(folder, base, shard, isOrdered),
  });
}

/** The state of earlier runs; without any, one in memory: a plan leaves nothing behind. */
export async function openStateToPlan(
  ...[inputs, settings, flags, changes, shard]: Parameters<typeof openState>
): Promise<RunState> {
  const base = await stateName(inputs, settings, flags, changes);
  const name = base + shardSuffix(shard, flags.ordered === true);
  const hasState = existsSync(join(flags.stateDir ?? defaultStateDir, `${name}.db`));
  if (hasState && !flags.fresh) return openState(inputs, settings, flags, changes, shard);
  return openInMemory(flags);
}

/**
 * Looks at the lock alone: of very many files, opening each takes long. With a transform, which has to be
 * loaded first, `openState` finds out.
 * @throws UsageError when another process runs this import.
 */
export async function checkNotRunning(
  { inputs, settings }: Prepared,
  flags: ImportFlags,
  changes: RecordChanges | undefined,
  shard: Shard | undefined,
): Promise<void> {
  if (flags.transform !== undefined || !inputs.every(({ isFile }) => isFile)) return;
  const base = await stateName(inputs, settings, flags, changes);
  const name = base + shardSuffix(shard, flags.ordered === true);
  throwIfHeld(join(flags.stateDir ?? defaultStateDir, `${name}.lock`), shardName(shard));
}

/**
 * Makes `history-3f9c02d1a4b7`: a readable name of the first file, and a hash of everything but secrets and
 * header values, which may be replaced before the end. Queries and the write key are in it by a slow hash.
 */
async function stateName(
  inputs: readonly Input[],
  settings: TargetSettings,
  flags: ImportFlags,
  changes: RecordChanges | undefined,
): Promise<string> {
  const files = hashOfPaths(inputs);
  const address = await addressOf(settings, files);
  const isOriginal = settings.kind === 'webhooks' && settings.body === 'original';
  const options = {
    ...identityOf(importFlags, flags),
    isOriginal,
    ...(await identityOfChanges(changes, files)),
  };
  const known = JSON.stringify({ files, ...address, options });
  const hash = createHash('sha256').update(known).digest('hex');
  return `${shortName(inputs)}-${hash.slice(0, 12)}`;
}
