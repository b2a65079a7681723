import type { Summary } from '../ledger/summary.js';
import { count, durationText } from './progress.js';
import type { Paint } from './text.js';

/** The summary of a run as text: one line per count, without zeros. */
export function summaryText(summary: Summary, paint: Paint): string {
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
  const shown = rows.filter(
    ([name, value]) => value > 0 || name === 'read' || name === 'delivered',
  );
  const width = Math.max(...shown.map(([, value]) => count(value).length));
  const lines = shown.map(([name, value, color]) => {
    const text = count(value).padStart(width);
    return `${name.padEnd(10)} ${color && value > 0 ? color(text) : text}`;
  });
  return [...lines, paint.dim(speedText(summary))].join('\n');
}

function speedText({ seconds, eventsPerSecond, latencyMs }: Summary): string {
  const duration = seconds < 10 ? `${seconds.toFixed(1)} s` : durationText(seconds);
  if (latencyMs.p50 === null) return `in ${duration}`;
  const { p50, p95, p99 } = latencyMs;
  return `in ${duration}, ${count(eventsPerSecond)} events/s; latency p50 ${p50} ms, p95 ${p95!} ms, p99 ${p99!} ms`;
}
