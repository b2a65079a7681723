import { runSummaryOf } from '../../importer/shared/run-summary.js';
import { colors } from '../../output/text.js';
import { print } from '../shared/output.js';
import { remark, type RunsContext } from './context.js';
import { findSnapshot } from './find-run.js';
import { nextSteps } from './next-steps.js';
import { barStyle } from './progress-bar.js';
import { withKnownTarget, type RunDetails } from './run-details.js';
import { showLine } from './show-line.js';
import { showText } from './show-text.js';
import { totalsOf } from '../../importer/shared/totals.js';

/** Shows all that is known of a run. */
export async function show(context: RunsContext, typed: string): Promise<number> {
  const { flags, io } = context;
  const details = await detailsOf(context, typed);
  if (flags.json) {
    print(io, JSON.stringify(showLine(details)));
  } else {
    const paint = await colors(io.stdout, io.env, flags.color);
    print(io, showText(details, { paint, bar: barStyle(io.env) }));
    for (const line of nextSteps(context, details)) remark(context, line);
  }
  return 0;
}

async function detailsOf(context: RunsContext, typed: string): Promise<RunDetails> {
  const { store } = context;
  const snapshot = await findSnapshot(context, typed);
  const notices = await store.notices(snapshot.record.id);
  const now = store.now();
  const summary = runSummaryOf(withKnownTarget(snapshot), {
    pending: totalsOf(snapshot.stats).retrying,
    ...{ deadLetterPath: null, isJoined: false, now },
  });
  return { snapshot, summary, notices, now };
}
