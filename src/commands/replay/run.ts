import { exitCodes } from '../../errors.js';
import type { Event, Problem } from '../../events/event.js';
import { attemptsOf, problemOf } from '../../importer/reported-event.js';
import { estimateLines } from '../../sources/line-estimate.js';
import type { LedgerOptions } from '../../ledger/ledger.js';
import { printable } from '../../output/printable.js';
import { CaptureItem } from '../../replay/capture-item.js';
import { captureItems } from '../../replay/parse-capture.js';
import { shownPath } from '../../replay/path.js';
import { SpeedSchedule } from '../../run/speed-schedule.js';
import { Run } from '../../run/run.js';
import { checkTokens } from '../shared/check-tokens.js';
import { resolveChanges } from '../shared/changes.js';
import { Interruption } from '../shared/interruption.js';
import { ItemReport } from '../shared/item-report.js';
import { openLog } from '../shared/open-log.js';
import { findCaptures } from './captures.js';
import { comparedOf } from './compare-flag.js';
import { differenceLine, differenceText } from './difference.js';
import { selectorOf, singleThreadReplay } from './engine.js';
import { estimateCaptures } from './estimate.js';
import type { ReplayCall, ReplayParts } from './parts.js';
import { checkSignatures, noteOfBatch, prepare } from './prepare.js';
import { openReplayState } from './state.js';

/** Runs `replay`, from flags to exit code. */
export async function replayFiles(call: ReplayCall): Promise<void> {
  const { flags, io } = call;
  const files = [...call.files];
  const schedule = SpeedSchedule.from(flags);
  const changes = await resolveChanges(call.typed, flags, io.cwd);
  const prepared = await prepare(files, flags, io);
  if (changes) checkSignatures(flags, prepared);
  noteOfBatch(prepared, flags, io);
  const captures = await findCaptures(files, flags, io);
  const items = captureItems(prepared.idHeaders);
  const state = await openReplayState(captures, prepared, { flags, changes, items });
  try {
    const resumes = state.store.hasBegun();
    const log = await openLog(flags.log, resumes);
    await run({
      ...call,
      ...prepared,
      ...captures,
      items,
      changes,
      state,
      log,
      schedule,
    });
  } finally {
    state.close();
  }
}

/** Runs a replay of what was prepared. */
async function run(parts: ReplayParts): Promise<void> {
  await checkTokens(parts.settings);
  const { inputs, hars, flags, io, log, schedule } = parts;
  const report = new ItemReport({
    ...{ ...parts, words },
    estimateLines: hars.size > 0 ? undefined : () => estimateLines(inputs),
  });
  const { summary, exitCode, isInterrupted } = await new Run({
    ...{ report, log, schedule, flags },
    openStopper: () => new Interruption(() => report.interrupted()),
    estimate: (options) => estimateCaptures(parts, selectorOf(parts), options),
    engine: (runListener) =>
      singleThreadReplay(parts, {
        ...runListener,
        credentialsToOtherHost: (host) => report.say(credentialsToOtherHost(host)),
        problem: problemIn(parts, report),
        attempts: (outcome, item) =>
          attemptsOf(outcome, item).forEach((attempt) => report.attempt(attempt)),
      }),
  }).run();
  // A request without a response has none that equals the recorded one.
  const differing = summary.failed + summary.earlier.failed;
  const isCompared = comparedOf(flags) !== undefined && !isInterrupted;
  const isDifferent = isCompared && differing > 0 && exitCode !== exitCodes.ok;
  io.exit(isDifferent ? exitCodes.negative : exitCode);
}

const words = {
  command: 'evfwd replay',
  doing: 'replaying',
  item: 'request',
  additions: 'requests',
  targetKind: 'requests',
} as const;

function credentialsToOtherHost(host: string): string {
  return `warning: recorded Authorization or Cookie headers go to ${printable(host)}, which is not the recorded host; --drop-header Authorization,Cookie leaves them out`;
}

/** Reports a request that was neither delivered nor skipped; with `--compare`, what differs, as data. */
function problemIn(
  { flags }: ReplayParts,
  report: ItemReport,
): NonNullable<LedgerOptions['onProblem']> {
  const isCompared = comparedOf(flags) !== undefined;
  return (outcome, item) => {
    if (isCompared && outcome.verdict === 'failed' && item instanceof CaptureItem) {
      const difference = differenceLine(outcome, item);
      report.printLine(flags.json ? JSON.stringify(difference) : differenceText(difference));
      return;
    }
    report.problem(() => problemOf(outcome, item), requestOf(item));
  };
}

/** ` POST /hook` of a request. */
function requestOf(item: Event | Problem): string {
  if (!(item instanceof CaptureItem)) return '';
  const { method, path } = item.request;
  return ` ${printable(`${method} ${shownPath(path)}`)}`;
}
