import type { RunSnapshot } from '../../importer/shared/run-record.js';
import { countOf } from '../../output/numbers.js';
import { colors } from '../../output/text.js';
import { print } from '../shared/output.js';
import { remark, type RunsContext } from './context.js';
import { command } from './next-commands.js';
import { barStyle } from './progress-bar.js';
import { rowOf } from './row.js';
import { runLine } from './run-line.js';
import { runTable } from './table.js';

/** All runs, the newest first; some may be removed while they are read. */
export async function list(context: RunsContext): Promise<number> {
  const { store, flags } = context;
  const records = (await store.list()).reverse();
  const found = await Promise.all(records.map(({ id }) => store.snapshot(id)));
  const snapshots = found.filter((snapshot) => snapshot !== undefined);
  if (snapshots.length === 0) sayNone(context);
  else if (flags.json) printLines(context, snapshots);
  else await printTable(context, snapshots);
  return 0;
}

function sayNone(context: RunsContext): void {
  const { store } = context;
  const example = command(context, 'import', [
    'history.ndjson',
    '--url',
    'https://example.com/hook',
  ]);
  remark(context, `no runs on ${store.name}; start one with: ${example}`);
}

function printLines({ io }: RunsContext, snapshots: readonly RunSnapshot[]): void {
  print(io, snapshots.map((snapshot) => JSON.stringify(runLine(snapshot))).join('\n'));
}

async function printTable(context: RunsContext, snapshots: readonly RunSnapshot[]): Promise<void> {
  const { store, flags, io } = context;
  const rows = snapshots.map((snapshot) => rowOf(snapshot, store.now()));
  const paint = await colors(io.stdout, io.env, flags.color);
  // Some pseudo-terminals report zero columns.
  const columns = (io.stdout.isTTY && io.stdout.columns) || undefined;
  print(io, runTable(rows, { paint, bar: barStyle(io.env), columns }));
  for (const { record, ranges } of snapshots) {
    if (ranges.failed === 0) continue;
    const failed = countOf(ranges.failed, 'part');
    remark(
      context,
      `${failed} of ${record.id} failed; see ${command(context, 'runs', ['show', record.id])}`,
    );
  }
}
