import { exitCodes } from '../../errors.js';
import type { VerifyResult } from '../../importer/shared/run-store.js';
import type { RunSnapshot } from '../../importer/shared/run-record.js';
import { countOf } from '../../output/numbers.js';
import { printable } from '../../output/printable.js';
import { colors, type Paint } from '../../output/text.js';
import { print } from '../shared/output.js';
import { remark, type RunsContext } from './context.js';
import { findRun, snapshotOf } from './find-run.js';
import { command } from './next-commands.js';

/** Puts back the parts and retries of a run that have failed or are missing. */
export async function verify(context: RunsContext, typed: string): Promise<number> {
  const { store, flags, io } = context;
  const { id } = await findRun(context, typed);
  const result = await store.verify(id);
  const snapshot = await snapshotOf(context, id);
  if (flags.json) print(io, JSON.stringify(verifyLine(snapshot, result)));
  else {
    const paint = await colors(io.stdout, io.env, flags.color);
    print(io, verifyText(snapshot, result, paint).join('\n'));
  }
  for (const line of nextLines(context, snapshot, result)) remark(context, line);
  return exitCodes.ok;
}

/** `state` and `parts` are those after it. */
function verifyLine({ record, ranges }: RunSnapshot, result: VerifyResult): object {
  const { restoredRanges, restoredRetries } = result;
  const { total, done, failed } = ranges;
  return {
    type: 'verify',
    id: record.id,
    state: record.status,
    parts: { total, done, failed },
    restored: { parts: restoredRanges, retries: restoredRetries },
  };
}

function verifyText(
  { record, ranges }: RunSnapshot,
  { restoredRanges, restoredRetries }: VerifyResult,
  paint: Paint,
): string[] {
  const what = `${printable(record.id)}: looked at ${countOf(ranges.total, 'part')}`;
  const restored = [
    restoredRanges > 0 && countOf(restoredRanges, 'part'),
    restoredRetries > 0 && countOf(restoredRetries, 'batch of retries', 'batches of retries'),
  ].filter((part) => part !== false);
  const lines = [what];
  if (restored.length > 0) {
    lines.push(paint.yellow(`put back, because missing or failed: ${restored.join(', ')}`));
  }
  return lines.length > 1
    ? lines
    : [what, paint.green('nothing is missing, and nothing has failed')];
}

function nextLines(
  context: RunsContext,
  { record, workers }: RunSnapshot,
  { restoredRanges, restoredRetries }: VerifyResult,
): string[] {
  if (restoredRanges + restoredRetries === 0) return [];
  if (record.status === 'paused') {
    return [
      `the run is paused; resume it with: ${command(context, 'runs', ['resume', record.id])}`,
    ];
  }
  if (record.status !== 'running' || workers.length > 0) return [];
  return [`no worker is at work on it; start one with: ${command(context, 'worker', [])}`];
}
