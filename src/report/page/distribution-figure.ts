import { minMs } from '../../ledger/histogram.js';
import type { DurationBar } from '../durations.js';
import type { Latency, Report } from '../report.js';
import { msText } from '../../output/numbers.js';
import { escapeHtml } from './escape.js';
import { figureHtml, place, plotHeight, plotWidth } from './figure.js';
import { linearAxis, logPosition, logTicks } from './scale.js';

interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Durations of attempts as columns on a logarithmic axis, with p50, p95 and p99 marked. */
export function distributionFigure({ latencyBars, latencyMs }: Report): string {
  if (latencyBars.length === 0) return '';
  const range = rangeOf(latencyBars);
  const all = latencyBars.reduce((sum, { attempts }) => sum + attempts, 0);
  const most = Math.max(...latencyBars.map(({ attempts }) => attempts));
  const axis = linearAxis((most / all) * 100, '%');
  const scale = plotHeight / ((axis.end / 100) * all);
  const markers = markersOf(latencyMs, range);
  return figureHtml({
    id: 'distribution',
    title: 'Latency distribution',
    note: 'share of attempts by duration, logarithmic',
    description: describe(latencyMs),
    marks: `<path class="delivered" d="${latencyBars.map((bar) => column(bar, range, scale)).join('')}"/>`,
    overlay: markersHtml(markers),
    x: logTicks(range.fromMs, range.toMs),
    y: axis.ticks,
  });
}

/** At least a factor of ten; otherwise a log of equal durations would be one wide column. */
function rangeOf(bars: readonly DurationBar[]): Range {
  const { fromMs } = bars[0]!;
  const { toMs } = bars[bars.length - 1]!;
  const middle = Math.sqrt(fromMs * toMs);
  const reach = Math.sqrt(10);
  return { fromMs: Math.min(fromMs, middle / reach), toMs: Math.max(toMs, middle * reach) };
}

function column({ fromMs, toMs, attempts }: DurationBar, range: Range, scale: number): string {
  if (attempts === 0) return '';
  const left = logPosition(fromMs, range.fromMs, range.toMs) * plotWidth;
  const right = logPosition(toMs, range.fromMs, range.toMs) * plotWidth;
  const top = place(plotHeight - attempts * scale);
  const gap = (right - left) * 0.14;
  return `M${place(left)} ${plotHeight}V${top}H${place(right - gap)}V${plotHeight}Z`;
}

interface Marker {
  readonly name: string;
  readonly ms: number;
  /** Share of the axis. */
  readonly at: number;
}

function markersOf({ p50, p95, p99 }: Latency, range: Range): Marker[] {
  return Object.entries({ p50, p95, p99 }).map(([name, value]) => {
    const ms = Math.max(value ?? 0, minMs, range.fromMs);
    return { name, ms: value ?? 0, at: Math.min(1, logPosition(ms, range.fromMs, range.toMs)) };
  });
}

/**
 * Lines through the plot with their labels on top, one row per label. The first row is for the line
 * furthest from the direction of the labels, so that no line crosses a label.
 */
function markersHtml(markers: readonly Marker[]): string {
  const leaning = markers.filter((marker) => leansLeft(marker)).reverse();
  const rows = [...markers.filter((marker) => !leansLeft(marker)), ...leaning];
  return `<div class="markers" aria-hidden="true">${rows.map(markerHtml).join('')}</div>`;
}

function leansLeft({ at }: Marker): boolean {
  return at > 0.72;
}

function markerHtml(marker: Marker, row: number): string {
  const { name, ms, at } = marker;
  const text = `<i><b>${name}</b> ${escapeHtml(msText(ms))}</i>`;
  const top = `top:${row * 18}px`;
  return leansLeft(marker)
    ? `<span class="left" style="right:${place((1 - at) * 100)}%;${top}">${text}</span>`
    : `<span style="left:${place(at * 100)}%;${top}">${text}</span>`;
}

function describe({ p50, p95, p99, max }: Latency): string {
  return `Half of all attempts took at most ${msText(p50)}, 95% at most ${msText(p95)}, 99% at most ${msText(p99)}, the longest ${msText(max)}.`;
}
