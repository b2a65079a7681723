import { basename } from 'node:path';
import { count, countOf, durationText } from '../../output/numbers.js';
import { printable } from '../../output/printable.js';
import { summaryText } from '../../output/summary.js';
import type { Paint } from '../../output/text.js';
import { ageText } from './age.js';
import { progressBar, type BarStyle } from './progress-bar.js';
import { isReadable, urlsOf, type RunDetails } from './run-details.js';
import { shareDone, shareText } from '../../importer/shared/share-done.js';
import { statusColor } from './status.js';

export interface ShowStyle {
  readonly paint: Paint;
  readonly bar: BarStyle;
}

/** More files than this are counted instead of named. */
const namedFiles = 3;
const barWidth = 24;

type Row = readonly [name: string, value: string];

/** All that is known of a run: what it is, what has happened, what went wrong. */
export function showText(details: RunDetails, style: ShowStyle): string {
  const { paint } = style;
  const head = rowsOf(details, style).map(([name, value]) => `${name.padEnd(10)} ${value}`);
  const parts = [
    head.join('\n'),
    summaryText(details.summary, paint),
    paint.red(problemLines(details).join('\n')),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function rowsOf(details: RunDetails, style: ShowStyle): Row[] {
  const { record, workers } = details.snapshot;
  return [
    ['run', style.paint.bold(printable(record.id))],
    ['status', statusLine(details, style)],
    ['created', timeText(record.createdAt, details.now)],
    ...endRows(details),
    ...planRows(details),
    ['progress', progressLine(details, style)],
    ...waitingRows(details),
    ['workers', workers.length === 0 ? 'none at work' : workersText(workers)],
    ...noticeRows(details),
  ];
}

function statusLine({ snapshot: { record } }: RunDetails, { paint }: ShowStyle): string {
  const status = record.status;
  const reason = record.stopReason === null ? '' : `: ${printable(record.stopReason)}`;
  return statusColor(status, paint)(status) + reason;
}

function endRows({ snapshot: { record }, now }: RunDetails): Row[] {
  return record.endedAt === null ? [] : [['ended', timeText(record.endedAt, now)]];
}

function planRows({ snapshot: { record } }: RunDetails): Row[] {
  const { plan } = record;
  if (!isReadable(plan)) {
    return [['plan', `of format ${String(plan.format)}, made by another version of evfwd`]];
  }
  const rows: Row[] = [
    ['files', filesText(plan.files.map(({ path }) => path))],
    ['target', urlsOf(plan).map(printable).join(', ')],
  ];
  if (plan.rate !== null) rows.push(['limit', `${count(plan.rate)}/s over all workers`]);
  return rows;
}

/** `/data/a.ndjson, /data/b.ndjson`; `8,000 files (a.ndjson, b.ndjson, …)`. */
function filesText(paths: readonly string[]): string {
  if (paths.length <= namedFiles) return paths.map(printable).join(', ');
  const names = paths.slice(0, 2).map((path) => printable(basename(path)));
  return `${count(paths.length)} files (${names.join(', ')}, …)`;
}

function progressLine({ snapshot }: RunDetails, { paint, bar }: ShowStyle): string {
  const { record, ranges } = snapshot;
  const share = shareDone(snapshot);
  const { done, left } = progressBar(share, barWidth, bar);
  const failed = ranges.failed > 0 ? `, ${count(ranges.failed)} failed` : '';
  const text = `${count(ranges.done)} of ${countOf(ranges.total, 'part')} done${failed}`;
  const color = statusColor(record.status, paint);
  return `${color(done)}${paint.dim(left)} ${shareText(share)}, ${text}`;
}

function waitingRows({ snapshot: { stats, nextDueAt, failedRetries }, now }: RunDetails): Row[] {
  const waiting = stats.retrying ?? 0;
  if (waiting === 0) return [];
  const inMs = nextDueAt - now;
  const next = Number.isFinite(inMs)
    ? `, next attempt ${inMs < 500 ? 'now' : `in ${durationText(inMs / 1000)}`}`
    : '';
  const stuck = failedRetries > 0 ? `; ${countOf(failedRetries, 'batch', 'batches')} failed` : '';
  return [['waiting', `${countOf(waiting, 'event')}${next}${stuck}`]];
}

function workersText(workers: RunDetails['snapshot']['workers']): string {
  const names = workers.map(({ id, items }) => `${printable(id)} (${countOf(items, 'item')})`);
  return `${count(workers.length)}: ${names.join(', ')}`;
}

function noticeRows({ snapshot: { record }, notices, now }: RunDetails): Row[] {
  if (!isReadable(record.plan)) return [];
  const urls = urlsOf(record.plan);
  return notices.flatMap(({ url, notice }): Row[] => {
    const name = urls[url];
    if (name === undefined) return [];
    return [['endpoint', `${printable(name)} ${noticeText(notice, now)}`]];
  });
}

function noticeText(notice: RunDetails['notices'][number]['notice'], now: number): string {
  switch (notice.kind) {
    case 'gone':
      return 'responded 410 Gone; nothing more is sent to it';
    case 'down': {
      const forMs = Math.max(0, now - notice.sinceMs);
      return `has been unreachable for ${durationText(forMs / 1000)}`;
    }
    case 'up':
      return 'is reachable again';
    case 'paused': {
      const left = Math.max(0, notice.untilMs - now);
      return `asked for a pause (Retry-After); ${durationText(left / 1000)} left`;
    }
  }
}

function problemLines({ snapshot: { problems } }: RunDetails): string[] {
  if (problems.length === 0) return [];
  const lines = problems.map(
    ({ file, message, ranges }) =>
      `  ${printable(file)}: ${printable(message)} (${countOf(ranges, 'part')})`,
  );
  return ['problems', ...lines];
}

/** `3 min ago (2026-11-22T22:20:00Z)` */
function timeText(ms: number, now: number): string {
  const iso = new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
  return `${ageText(now - ms)} ago (${iso})`;
}
