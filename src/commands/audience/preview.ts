import type { AudienceStore, PlannedChange } from '../../audience/store.js';
import { exitCodes } from '../../errors.js';
import { printable } from '../../output/printable.js';
import { count } from '../../output/numbers.js';
import { writeSlowly } from '../../output/write-slowly.js';
import { readList, type AudienceParts } from './parts.js';
import { comparisonData, comparisonText, listProblems, repeatedText } from './messages.js';
import { copyAudience } from './state.js';
import { print, say } from '../shared/output.js';
import { Interruption } from '../shared/interruption.js';
import { warnOfVisibleSecret } from '../shared/secret-flags.js';

/** How many changes are printed per write. */
const pageSize = 500;

/** `--dry-run`: compares with a copy of the state, and prints what would be sent. */
export async function previewAudience(parts: AudienceParts): Promise<void> {
  const { audience, settings, flags } = parts;
  // Without it, a signal would end the process and leave the copy behind.
  const interruption = new Interruption(() => undefined);
  const copy = await copyAudience(audience, settings, flags);
  try {
    await preview(parts, copy.store, interruption);
  } finally {
    copy.close();
    interruption.end();
  }
}

async function preview(
  parts: AudienceParts,
  store: AudienceStore,
  interruption: Interruption,
): Promise<void> {
  const { audience, flags, io, input } = parts;
  const { kind } = audience;
  const staged = await readList(parts, store, interruption.signal);
  warnOfVisibleSecret(flags, io);
  if (interruption.exitCode !== undefined) {
    io.exit(interruption.exitCode);
    return;
  }
  const unfinished = store.plan();
  // A run would complete it before it compares.
  if (unfinished) store.applyPlan();
  const madeAt = new Date().toISOString();
  const comparison = store.makePlan({ file: input.name, madeAt, removals: staged.removals });
  await printChanges(parts, store);
  if (flags.json) {
    const data = comparisonData(kind, comparison);
    print(io, JSON.stringify({ type: 'summary', dryRun: true, ...data }));
  }
  if (!flags.quiet) {
    if (flags.verbose && comparison.repeated > 0) say(io, repeatedText(comparison));
    for (const line of listProblems(store, staged, comparison, input.name)) say(io, line);
    if (unfinished) say(io, `resuming an unfinished run first: ${count(unfinished.size)} changes`);
    say(io, `${comparisonText(kind, comparison)}; nothing was sent`);
  }
  io.exit(comparison.rejected > 0 || staged.broken ? exitCodes.incomplete : exitCodes.ok);
}

async function printChanges({ audience, flags, io }: AudienceParts, store: AudienceStore) {
  const show = flags.json ? asJson : audience.kind === 'sync' ? asMembership : asValue;
  let page = store.changes(0, pageSize);
  // Stops when the reader is gone, as with `| head`.
  while (page.length > 0 && io.stdout.writable) {
    await writeSlowly(io.stdout, page.map((change) => `${show(change)}\n`).join(''));
    page = store.changes(page.at(-1)!.line, pageSize);
  }
}

/** Ids and values are JSON texts, printed as they are in the list. */
function asJson({ id, value, before }: PlannedChange): string {
  const was = before ? `,"before":${before.toString()}` : '';
  return `{"type":"change","userId":${id.toString()},"value":${value.toString()}${was}}`;
}

function asMembership({ user, value }: PlannedChange): string {
  const what = value.toString() === 'true' ? 'joins' : 'leaves';
  return `${what.padEnd(6)} ${printable(user.toString())}`;
}

function asValue({ user, value, before }: PlannedChange): string {
  const was = before ? ` (was ${before.toString()})` : '';
  return printable(`${user.toString()}  ${value.toString()}${was}`);
}
