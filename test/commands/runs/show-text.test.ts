import { describe, expect, it } from 'vitest';
import { barStyle } from '../../../src/commands/runs/progress-bar.js';
import { withKnownTarget, type RunDetails } from '../../../src/commands/runs/run-details.js';
import { runLine } from '../../../src/commands/runs/run-line.js';
import { showLine } from '../../../src/commands/runs/show-line.js';
import { showText } from '../../../src/commands/runs/show-text.js';
import type { RunSnapshot } from '../../../src/importer/shared/run-record.js';
import { runSummaryOf } from '../../../src/importer/shared/run-summary.js';
import { colors } from '../../../src/output/text.js';
import { createdAt, plan, snapshotOf } from '../../helpers/run-snapshots.js';

const now = createdAt + 90_000;
const style = { paint: await colors({}, {}), bar: barStyle({ LANG: 'C' }) };

function detailsOf(snapshot: RunSnapshot, notices: RunDetails['notices'] = []): RunDetails {
  const pending = snapshot.stats.retrying ?? 0;
  const options = { pending, deadLetterPath: null, isJoined: false, now };
  return { snapshot, summary: runSummaryOf(withKnownTarget(snapshot), options), notices, now };
}

const busy = snapshotOf({
  ranges: { total: 10, done: 4, failed: 1 },
  stats: { delivered: 40, failed: 3, retrying: 2, 'reason:status_400': 2, 'reason:timeout': 1 },
  nextDueAt: now + 45_000,
  workers: [{ id: 'web1-4711', items: 2 }],
  problems: [{ file: '/data/\u001bhistory.ndjson', message: 'the file has changed', ranges: 1 }],
});

describe('runs show', () => {
  it('shows what a run is, what has happened, and what went wrong', () => {
    const notices = [{ url: 0, notice: { kind: 'paused' as const, untilMs: now + 30_000 } }];
    expect(showText(detailsOf(busy, notices), style).split('\n')).toEqual([
      'run        history-k3f9c02d',
      'status     running',
      'created    1 min ago (2026-11-22T22:00:00Z)',
      'files      /data/history.ndjson',
      'target     http://127.0.0.1:4400/hook',
      'progress   #########............... 40%, 4 of 10 parts done, 1 failed',
      'waiting    2 events, next attempt in 45 s',
      'workers    1: web1-4711 (2 items)',
      'endpoint   http://127.0.0.1:4400/hook asked for a pause (Retry-After); 30 s left',
      '',
      'read       45',
      'delivered  40',
      'failed      3',
      '  400 Bad Request × 2',
      '  timed out × 1',
      'pending     2',
      'in 1 min 30 s',
      '',
      'problems',
      String.raw`  /data/\u001bhistory.ndjson: the file has changed (1 part)`,
    ]);
  });

  it('says for how long a URL has been unreachable', () => {
    const details = detailsOf(busy, [{ url: 0, notice: { kind: 'down', sinceMs: now - 90_000 } }]);
    expect(showText(details, style)).toContain(
      'http://127.0.0.1:4400/hook has been unreachable for 1 min 30 s\n',
    );
    expect(showLine(details)).toHaveProperty('notices', [
      { url: 'http://127.0.0.1:4400/hook', state: 'down', since: '2026-11-22T22:00:00.000Z' },
    ]);
  });

  it('has the same text on a terminal, with colors', async () => {
    const paint = await colors({ isTTY: true }, { TERM: 'xterm' });
    const text = showText(detailsOf(busy), { ...style, paint });
    expect(text).toContain('\u001b[32mrunning');
    expect(text.replaceAll(/\u001b\[\d+m/g, '')).toBe(showText(detailsOf(busy), style));
  });

  it('says why a run was stopped, and when it ended', () => {
    const stopped = snapshotOf({
      record: { status: 'paused', stopReason: '5 of 100 events failed', endedAt: now - 1_000 },
    });
    const text = showText(detailsOf(stopped), style);
    expect(text).toContain('status     paused: 5 of 100 events failed\n');
    expect(text).toContain('ended      1 s ago (2026-11-22T22:01:29Z)\n');
  });

  it('counts more than three files instead of listing them', () => {
    const files = Array.from({ length: 1_200 }, (_, i) => ({
      ...plan.files[0]!,
      path: `/data/${i}.ndjson`,
    }));
    const text = showText(detailsOf(snapshotOf({ record: { plan: { ...plan, files } } })), style);
    expect(text).toContain('files      1,200 files (0.ndjson, 1.ndjson, …)\n');
  });

  it('shows the counts of a run whose plan another version has made', () => {
    const other = { format: 99, program: '9.0.0' } as unknown as typeof plan;
    const details = detailsOf(snapshotOf({ record: { plan: other } }));
    expect(showText(details, style)).toContain('of format 99, made by another version');
    expect(showText(details, style)).toContain('delivered  40');
    expect(showLine(details)).toMatchObject({ delivered: 40, files: null, target: null });
  });
});

describe('runs --json', () => {
  const line = {
    type: 'run',
    id: 'history-k3f9c02d',
    state: 'running',
    parts: { total: 10, done: 4, failed: 1 },
    ...{ read: 45, delivered: 40, rejected: 0, failed: 3, skipped: 0, retrying: 2 },
    problems: [{ file: '/data/\u001bhistory.ndjson', message: 'the file has changed', parts: 1 }],
  };

  it('has these members of a run, in this order', () => {
    expect(JSON.stringify(runLine(busy))).toBe(JSON.stringify(line));
  });

  it('has more behind them with show', () => {
    const shown = showLine(detailsOf(busy));
    const keys = Object.keys(line);
    expect(Object.keys(shown).slice(0, keys.length)).toEqual(keys);
    expect(shown).toMatchObject({
      ...line,
      createdAt: '2026-11-22T22:00:00.000Z',
      endedAt: null,
      files: ['/data/history.ndjson'],
      target: { kind: 'webhooks', urls: ['http://127.0.0.1:4400/hook'] },
      reasons: [
        { code: 'status_400', count: 2 },
        { code: 'timeout', count: 1 },
      ],
      nextAttemptAt: '2026-11-22T22:02:15.000Z',
      workers: [{ id: 'web1-4711', items: 2 }],
    });
  });
});
