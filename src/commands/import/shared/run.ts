import type { RemoteOptions } from '../../../sources/remote/remote-sources.js';
import type { Input } from '../../../sources/input.js';
import type { RecordChanges } from '../../../steps/changes.js';
import { checkTarget } from '../../../config/open-target.js';
import { identityOf } from '../../../importer/shared/identity.js';
import { makePlan } from '../../../importer/shared/make-plan.js';
import type { Plan } from '../../../importer/shared/plan.js';
import { checkPeriod, mayEnd } from '../../flags/run.js';
import { resolveChanges, vendorFilesOf } from '../../shared/changes.js';
import { checkTokens } from '../../shared/check-tokens.js';
import { openRuns } from '../../shared/open-runs.js';
import { remoteOptions } from '../../shared/source-options.js';
import { storeSource } from '../../shared/store-flags.js';
import { selectionOf, type ImportFlags } from '../flags.js';
import { prepare, type Prepared } from '../prepare.js';
import { checkNamedOnce, checkOutputs } from '../../shared/run-state.js';
import type { PreparedRun, SharedCall } from './call.js';
import { checkFiles, checkTyped } from './check-flags.js';
import { claimEarly } from './dead-letters.js';
import { SharedImport } from './shared-import.js';
import { SharedReport } from './report.js';

/** Runs `import --store`, from flags to exit code: workers send the events. */
export async function importShared(call: SharedCall): Promise<void> {
  const { flags, typed, io, configured } = call;
  const source = storeSource(flags, io);
  if (configured !== undefined) checkTyped(typed, source);
  // The run may be there, with the times of its first command; a new one is looked at again.
  if (flags.fresh || !mayEnd(flags)) checkPeriod(flags);
  const planned = await planRun(call, source);
  const report = new SharedReport(flags, io);
  const server = await openRuns(flags, { ...io, stderr: report.stderr }, { configured });
  try {
    const lock =
      flags.detach || flags.deadLetter === undefined ? undefined : claimEarly(flags.deadLetter);
    await new SharedImport({ ...call, ...planned, server, report, lock }).run();
  } finally {
    await server.close();
  }
}

type PlannedRun = Pick<PreparedRun, 'plan' | 'identity' | 'remote' | 'names' | 'urls'>;

/**
 * Checks flags and files, and makes the plan, without the store. A function of its own, so that its inputs are
 * released: 12 MB with 100,000 files.
 */
async function planRun(
  { files, flags, typed, io }: SharedCall,
  source: string,
): Promise<PlannedRun> {
  const changes = await resolveChanges(typed, flags, io.cwd);
  const sources = { ...flags, vendorFiles: await vendorFilesOf(changes) };
  const prepared = await prepare(files, sources, io, {
    onNamed: ({ inputs }) => checkFiles(inputs, source),
  });
  const { settings, inputs } = prepared;
  checkNamedOnce(inputs);
  if (flags.deadLetter !== undefined) checkOutputs(flags.deadLetter, {}, inputs);
  const urls = await checkTarget(settings);
  await checkTokens(settings);
  const plan = await planOf(prepared, flags, changes, await remoteOptions(flags, io));
  const { since, until } = flags;
  const typedTimes = { since: since?.text, until: until?.text };
  const identity = await identityOf(plan, typedTimes, settings, changes?.hashKey);
  const names = inputs.map(({ name }) => name);
  return { plan, identity, remote: remoteOf(inputs), names, urls };
}

function planOf(
  { inputs, settings }: Prepared,
  flags: ImportFlags,
  changes: RecordChanges | undefined,
  remote: RemoteOptions,
): Promise<Plan> {
  const { ids, ordered = false, rate = null, stopAfter = null, since, until } = flags;
  const selection = selectionOf(flags, { since: since?.at, until: until?.at });
  const deadLettersChanged = flags.deadLetterChanged === true;
  const rest = { ids, isOrdered: ordered, rate, stopAfter, deadLettersChanged };
  return makePlan({ inputs, remote, settings, selection, changes, ...rest });
}

function remoteOf(inputs: readonly Input[]): Map<string, Input> {
  const objects = inputs.flatMap((input) => (input.object ? (input.object.archive ?? input) : []));
  return new Map(objects.flatMap((input) => (input.object ? [[input.object.id, input]] : [])));
}
