import { MissingTargetError } from '../../config/missing-target.js';
import type { TargetSettings } from '../../config/open-target.js';
import { defaults } from '../../defaults.js';
import { UsageError } from '../../errors.js';
import type { Input } from '../../sources/input.js';
import type { Io } from '../shared/command.js';
import {
  limitExternalMemory,
  limitHeapGrowth,
  limitYoungGeneration,
  manyFiles,
  smallHeapGrowth,
} from '../../memory-limits.js';
import { missingParts, missingTarget } from '../shared/missing.js';
import { findNamed, hasSources, readable } from '../shared/sources.js';
import { resolveTarget } from '../shared/target-flags.js';
import type { ImportFlags } from './flags.js';

/** The list of the files is sent to the store in one message, whose memory is freed soon after. */
const lookEveryMs = 100;

/** What every import begins with: where to, and what. */
export interface Prepared {
  readonly settings: TargetSettings;
  readonly inputs: readonly Input[];
}

export interface PrepareOptions {
  /** Called when the files are named, and none was opened yet. */
  readonly onNamed?: (prepared: Prepared) => Promise<void> | void;
}

/**
 * Reads flags and configuration, and finds and checks the files. Limits the young generation of the heap, since 100,000
 * files, or the first page of a table, leave much garbage; `releaseYoungGeneration` ends that.
 *
 * @throws UsageError when flags, configuration or files are not valid; nothing was written then.
 */
export async function prepare(
  files: string[],
  flags: ImportFlags,
  io: Io,
  { onNamed }: PrepareOptions = {},
): Promise<Prepared> {
  limitYoungGeneration();
  const settings = await resolveTarget(flags, io, defaults.retryWindowMs).catch(missingTarget);
  if (settings instanceof MissingTargetError) throw withMissingFiles(settings, files, flags, io);
  checkIds(flags, settings);
  checkOrder(flags, settings);
  const inputs = await findNamed(files, flags, io);
  if (inputs.length > manyFiles) {
    limitHeapGrowth(smallHeapGrowth);
    limitExternalMemory(lookEveryMs);
  }
  await onNamed?.({ settings, inputs });
  return { settings, inputs: await readable(inputs) };
}

/** The error for a missing target, which names the event files, too, if there are none. */
function withMissingFiles(
  target: MissingTargetError,
  files: readonly string[],
  flags: ImportFlags,
  io: Io,
): UsageError {
  if (hasSources(files, flags, io)) return target;
  return missingParts(
    ['event files (as arguments, from a pipe or by --files-from)', target.part],
    'evfwd import history.ndjson --url http://localhost:3000/hook',
  );
}

/** @throws UsageError for an order over batches: the next event of a user would wait for the end of a batch. */
function checkOrder({ ordered }: ImportFlags, settings: TargetSettings): void {
  if (!ordered || settings.kind !== 'webhooks' || !settings.batch) return;
  throw new UsageError(
    `--ordered sends the events of a user one after the other, and the webhooks of ${settings.where} take batches; leave out --ordered or their batch`,
  );
}

/** @throws UsageError when ids are to be written into bodies that are sent as they are. */
function checkIds({ ids }: ImportFlags, settings: TargetSettings): void {
  if (ids === 'keep' || settings.kind !== 'webhooks' || settings.body !== 'original') return;
  throw new UsageError(
    `--ids ${ids} changes the messageId, but --body original sends each event as it is; use one of them`,
  );
}
