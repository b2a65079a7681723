import type { TargetSettings } from '../../config/open-target.js';
import { systemPlatform } from '../../delivery/platform.js';
import { loadTransform } from '../../events/transform.js';
import { sharesOf, type Shard } from '../../sources/shard.js';
import { estimateLines } from '../../sources/line-estimate.js';
import { estimateShare } from '../../sources/share-estimate.js';
import { estimateDuration } from '../../sources/spacing.js';
import type { CommitStep } from '../../ledger/committer.js';
import { withEndpoints } from '../../importer/workers/thread-share.js';
import { JobThread } from '../../importer/workers/job-thread.js';
import { limitExternalMemory, limitInlining, releaseYoungGeneration } from '../../memory-limits.js';
import { printMapOf, resolveChanges, vendorFilesOf } from '../shared/changes.js';
import type { Io } from '../shared/command.js';
import { singleThreadImport } from './single-thread.js';
import type { ImportFlags } from './flags.js';
import { prepare } from './prepare.js';
import { isSelected, type ImportListener, type ImportParts } from './parts.js';
import { checkNotRunning, openState, openStateToPlan } from './state.js';
import { checkShardInputs, resolveShard, shardText, withShard } from './shard.js';
import { threadsFor } from './thread-count.js';
import { MultiThreadImport } from './threads.js';
import { checkTokens } from '../shared/check-tokens.js';
import { Interruption } from '../shared/interruption.js';
import { ItemReport } from '../shared/item-report.js';
import type { Probe } from './probe.js';
import { openLog } from '../shared/open-log.js';
import { storeOfConfig, storeUrl } from '../shared/store-flags.js';
import { Run } from '../../run/run.js';
import { SpeedSchedule } from '../../run/speed-schedule.js';
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
  const own = storeUrl(given, io);
  const configured = own === undefined ? await storeOfConfig(given, io) : undefined;
  if (own !== undefined || configured !== undefined) {
    const { importShared } = await import('./shared/run.js');
    await importShared({ files, flags: given, typed: options.typed ?? [], io, configured });
    return;
  }
  const shard = resolveShard(given, io.env);
  const { flags, typed } = flagsOf(shard, given, options.typed ?? []);
  const schedule = SpeedSchedule.from(flags);
  if (flags.printMap) return printMapOf(flags, io);
  const recordChanges = await resolveChanges(typed, flags, io.cwd);
  const sources = { ...flags, vendorFiles: await vendorFilesOf(recordChanges) };
  const { settings: whole, inputs } = await prepare(files, sources, io, {
    onNamed: (prepared) => checkNotRunning(prepared, flags, recordChanges, shard),
  });
  const settings = shard ? settingsOfShard(whole, shard) : whole;
  if (shard) checkShardInputs(inputs);
  if (flags.probe !== undefined) (await import('./probe.js')).checkProbe(inputs);
  const transform =
    flags.transform === undefined ? undefined : await loadTransform(flags.transform);
  const shares = shard && sharesOf(inputs, shard, flags.ordered === true);
  const sends = !flags.plan || flags.probe !== undefined;
  const open = sends ? openState : openStateToPlan;
  const state = await open(inputs, settings, flags, recordChanges, shard);
  try {
    const resumes = state.store.hasBegun();
    const log = sends ? await openLog(flags.log, resumes) : undefined;
    await (flags.plan ? plan : run)({
      ...{ inputs, files, flags, typed, io, settings, state, log, transform, schedule },
      recordChanges,
      ...{ shard, shares, onStep: options.onStep, platform: systemPlatform },
      newThread: () => new JobThread(),
    });
  } finally {
    state.close();
  }
}

/** With shards, each has its part of the rates of endpoints. */
function settingsOfShard(settings: TargetSettings, { count }: Shard): TargetSettings {
  return withEndpoints(settings, (endpoint) =>
    endpoint.rate === undefined ? endpoint : { ...endpoint, rate: endpoint.rate / count },
  );
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

/** Says what an import of what was prepared would do; with `--probe`, after its first events were sent. */
async function plan(parts: ImportParts): Promise<void> {
  const { flags, io, state } = parts;
  const { delivered } = state.store.counts();
  const { planImport, reportPlan } = await import('./plan.js');
  let probed: Probe | undefined;
  if (flags.probe !== undefined) {
    const { probe } = await import('./probe.js');
    await checkTokens(parts.settings);
    const stopper = new Interruption(() => undefined);
    probed = await probe(parts, flags.probe, stopper);
    if (stopper.exitCode !== undefined) {
      io.exit(stopper.exitCode);
      return;
    }
  }
  await reportPlan(await planImport(parts, { earlier: delivered, probed }), parts);
}

/** Runs an import of what was prepared. */
async function run(parts: ImportParts): Promise<void> {
  const { inputs, flags, io, settings, schedule, log, shard, shares } = parts;
  await checkTokens(settings);
  const report = new ItemReport({
    ...parts,
    words: { ...words, targetKind: settings.kind },
    schedule,
    shard: shard && shardText(shard),
    estimateLines: () => (shares ? estimateShare(inputs, shares) : estimateLines(inputs)),
  });
  const threads = threadsFor(parts);
  // `prepare` has limited it. For tables it stays limited: the values of a row are garbage at once.
  if (!inputs.some(({ layout }) => layout === 'rows')) releaseYoungGeneration();
  if (threads > 0) limitInlining();
  if (threads > 0 || inputs.some(({ layout }) => layout !== 'plain')) limitExternalMemory(10);
  const { exitCode } = await new Run({
    ...{ report, log, schedule, flags },
    openStopper: () => new Interruption(() => report.interrupted()),
    estimate: (options) => estimateDuration(inputs, { ...options, isSelected: isSelected(parts) }),
    engine: (runListener) => {
      const listener: ImportListener = {
        ...runListener,
        attempt: (attempt) => report.attempt(attempt),
        problem: (problem) => report.problem(problem),
      };
      return threads > 0
        ? new MultiThreadImport(parts, listener, threads)
        : singleThreadImport(parts, listener);
    },
  }).run();
  io.exit(exitCode);
}

const words = {
  command: 'evfwd import',
  doing: 'importing',
  item: 'event',
  additions: 'lines',
} as const;
