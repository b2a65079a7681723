import { otherCode, type ReasonCount } from '../ledger/reason-counts.js';
import type { Summary } from '../ledger/summary.js';
import type { UrlCounts } from '../ledger/url-stats.js';
import { count, countOf, msText } from './numbers.js';
import { reasonText, shortReason } from './reason-text.js';
import type { Paint } from './text.js';

/** More reasons than this are shown as `other`. */
const shownReasons = 10;

/**
 * The summary of a run as text: one line per count, without zeros, the reasons below what they are of; then
 * URLs and speed.
 *
 * @param item what the run sends, in the singular
 */
export function summaryText(summary: Summary, paint: Paint, item = 'event'): string {
  return [
    ...countLines(summary, paint),
    ...(summary.urls ?? []).map(urlLine),
    ...earlierLines(summary),
    paint.dim(speedText(summary, item)),
  ].join('\n');
}

function countLines(summary: Summary, paint: Paint): string[] {
  const { read, delivered, rejected, failed, skipped, pending, retries } = summary;
  const rows: [string, number, ((text: string) => string)?][] = [
    ['read', read],
    ['delivered', delivered, paint.green],
    ['rejected', rejected, paint.red],
    ['failed', failed, paint.red],
    ['skipped', skipped],
    ['pending', pending, paint.yellow],
    ['retries', retries, paint.yellow],
  ];
  const width = Math.max(...rows.map(([, value]) => count(value).length));
  return rows.flatMap(([name, value, color]) => {
    const reasons = name === 'failed' ? reasonLines(summary.reasons) : [];
    if (value === 0 && name !== 'read' && name !== 'delivered') return reasons;
    const text = count(value).padStart(width);
    const note = name === 'skipped' ? `  (${skippedText(summary)})` : '';
    return [`${name.padEnd(10)} ${color && value > 0 ? color(text) : text}${note}`, ...reasons];
  });
}

/** `4 by filters, 1,200 delivered by an earlier run` */
function skippedText({ skippedBy, earlier }: Summary): string {
  const isDelivered = earlier.rejected + earlier.failed === 0;
  const parts: [number, string][] = [
    [skippedBy.filter, 'by filters'],
    [skippedBy.integrations, 'by integrations'],
    [skippedBy.endpoints, 'wanted by no endpoint'],
    [skippedBy.earlier, `${isDelivered ? 'delivered' : 'completed'} by an earlier run`],
  ];
  const shown = parts.filter(([value]) => value > 0);
  return shown.map(([value, text]) => `${count(value)} ${text}`).join(', ');
}

/** `  401 Unauthorized × 1,000` */
function reasonLines(reasons: readonly ReasonCount[]): string[] {
  const known = reasons.filter(({ code }) => code !== otherCode);
  const shown = known.slice(0, shownReasons);
  const all = reasons.reduce((sum, { count }) => sum + count, 0);
  const others = all - shown.reduce((sum, { count }) => sum + count, 0);
  const lines = shown.map(({ code, count: times }) => `  ${reasonText(code)} × ${count(times)}`);
  return others > 0 ? [...lines, `  other × ${count(others)}`] : lines;
}

/** `http://b/hook  0 delivered, 5 failed (HTTP 500)` */
function urlLine({ url, delivered, failed, lastReason }: UrlCounts): string {
  const reason = failed > 0 && lastReason !== null ? ` (${shortReason(lastReason)})` : '';
  const failures = failed > 0 ? `, ${count(failed)} failed${reason}` : '';
  return `${url}  ${count(delivered)} delivered${failures}`;
}

/** `earlier runs: 1,200 delivered, 3 failed` */
function earlierLines({ earlier }: Summary): string[] {
  const { delivered, rejected, failed } = earlier;
  if (delivered + rejected + failed === 0) return [];
  const parts = [`${count(delivered)} delivered`];
  if (rejected > 0) parts.push(`${count(rejected)} rejected`);
  if (failed > 0) parts.push(`${count(failed)} failed`);
  return [`earlier runs: ${parts.join(', ')}`];
}

function speedText({ seconds, eventsPerSecond, latencyMs }: Summary, item: string): string {
  const duration = msText(seconds * 1000);
  const { p50, p95, p99 } = latencyMs;
  if (p50 === null) return `in ${duration}`;
  return `in ${duration}, ${countOf(eventsPerSecond, item)}/s; latency p50 ${msText(p50)}, p95 ${msText(p95)}, p99 ${msText(p99)}`;
}
