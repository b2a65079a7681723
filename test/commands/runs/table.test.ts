import { describe, expect, it } from 'vitest';
import { barStyle } from '../../../src/commands/runs/progress-bar.js';
import { rowOf } from '../../../src/commands/runs/row.js';
import { runTable } from '../../../src/commands/runs/table.js';
import { widthOf } from '../../../src/output/columns.js';
import type { RunSnapshot } from '../../../src/importer/shared/run-record.js';
import { colors } from '../../../src/output/text.js';
import { createdAt, snapshotOf } from '../../helpers/run-snapshots.js';

const now = createdAt + 90_000;
const plain = await colors({}, {});
const bar = barStyle({ LANG: 'en_US.UTF-8' });
const workers = [{ id: 'web1-4711', items: 2 }];

function linesOf(snapshots: readonly RunSnapshot[], columns?: number): string[] {
  const rows = snapshots.map((snapshot) => rowOf(snapshot, now));
  return runTable(rows, { paint: plain, bar, columns }).split('\n');
}

describe('the table of runs', () => {
  it('has a line per run, with numbers aligned on the right', () => {
    const finished = snapshotOf({
      record: { id: 'orders-a1b2c3d4', status: 'finished', createdAt: now - 7_200_000 },
      ranges: { total: 2, done: 2, failed: 0 },
      stats: { delivered: 1_200, failed: 12, skipped: 3 },
    });
    expect(linesOf([snapshotOf({ workers }), finished])).toEqual([
      'run               status    progress                  done  events  failed  workers    age',
      'history-k3f9c02d  running   █████████░░░░░░░░░░░░░░░   40%      40       0        1  1 min',
      'orders-a1b2c3d4   finished  ████████████████████████  100%   1,215      12        0    2 h',
    ]);
  });

  it('shows all columns in 80 columns of a terminal', () => {
    const [titles] = linesOf([snapshotOf({ workers })], 80);
    expect(titles!.split(/ +/)).toEqual([
      ...['run', 'status', 'progress', 'done', 'events', 'failed', 'workers', 'age'],
    ]);
  });

  it.each([40, 60, 79, 80, 100, 120, 200])('fits into %d columns', (columns) => {
    const stats = { delivered: 1_234_567_890, rejected: 4, failed: 1_000 };
    const ids = ['a', 'events-of-the-european-shops-2026-k3f9c02d', 'events-of-b-k3f9c02e'];
    const snapshots = ids.map((id) => snapshotOf({ record: { id }, stats, workers }));
    for (const line of linesOf(snapshots, columns)) {
      expect(widthOf(line)).toBeLessThanOrEqual(columns);
    }
  });

  it('cuts ids only behind the part that tells them apart', () => {
    const ids = ['orders-of-november-k3f9c02d', 'orders-of-november-k3a1b2c3', 'x'];
    const snapshots = ids.map((id) => snapshotOf({ record: { id } }));
    const cut = linesOf(snapshots, 80).map((line) => line.split(' ', 1)[0]);
    expect(cut.slice(1)).toEqual(['orders-of-november-k3f…', 'orders-of-november-k3a…', 'x']);
  });

  it('has a column for rejected events only if there are some', () => {
    expect(linesOf([snapshotOf()])[0]).not.toContain('rejected');
    const [titles, line] = linesOf([snapshotOf({ stats: { rejected: 7 } })]);
    expect(titles).toContain('rejected');
    expect(line).toMatch(/ 7 +0 +0 /);
  });

  it('colors status, bar and failures on a terminal', async () => {
    const paint = await colors({ isTTY: true }, { TERM: 'xterm' });
    const rows = [rowOf(snapshotOf({ stats: { failed: 3 } }), now)];
    const text = runTable(rows, { paint, bar, columns: 80 });

    const [titles, line] = text.replaceAll(/\u001b\[\d+m/g, '').split('\n');
    expect([titles, line]).toEqual(runTable(rows, { paint: plain, bar, columns: 80 }).split('\n'));
    expect(text).toContain('\u001b[32mrunning');
    expect(text).toContain('\u001b[31m     3');
  });
});
