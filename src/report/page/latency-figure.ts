import { minMs } from '../../ledger/histogram.js';
import type { Report } from '../report.js';
import { msText } from '../../output/numbers.js';
import { spanText } from '../words.js';
import { figureHtml, place, plotHeight } from './figure.js';
import { logPosition, logTicks, timeTicks } from './scale.js';
import { timeFrame } from './time-frame.js';

/** An interval with timed attempts, on the plot. */
interface Point {
  readonly left: number;
  readonly right: number;
  readonly p50: number;
  readonly p95: number;
}

/** p50 and p95 over time, on a logarithmic axis; the range between them is tinted. */
export function latencyFigure({ series }: Report): string {
  const timed = series.buckets.filter(({ p50 }) => p50 !== null);
  if (timed.length === 0) return '';
  const frame = timeFrame(series);
  const [fromMs, toMs] = rangeOf(timed.flatMap(({ p50, p95 }) => [p50!, p95!]));
  const height = (ms: number): number =>
    place((1 - logPosition(Math.max(ms, minMs), fromMs, toMs)) * plotHeight);
  const points = timed.map(({ at, p50, p95 }) => ({
    ...frame.place(at),
    p50: height(p50!),
    p95: height(p95!),
  }));
  return figureHtml({
    id: 'latency',
    title: 'Latency over time',
    note: '<span class="legend"><span class="key"><i class="line p50"></i>p50</span><span class="key"><i class="line p95"></i>p95</span></span>logarithmic',
    description: describe(timed, series.seconds),
    marks: marks(points),
    x: timeTicks(frame.from, frame.to, 4),
    y: logTicks(fromMs, toMs),
  });
}

/** At least a factor of four, so that small changes look small. */
function rangeOf(values: readonly number[]): [number, number] {
  const least = Math.max(minMs, Math.min(...values));
  const most = Math.max(least, ...values);
  const middle = Math.sqrt(least * most);
  return [Math.min(least / 1.15, middle / 2), Math.max(most * 1.15, middle * 2)];
}

function marks(points: readonly Point[]): string {
  const runs = unbroken(points);
  const band = runs.map((run) => `${line(run, 'p95')}${back(run)}Z`).join('');
  const lineOf = (name: 'p50' | 'p95'): string => runs.map((run) => line(run, name)).join('');
  return `<path class="band" d="${band}"/><path class="p95" d="${lineOf('p95')}"/><path class="p50" d="${lineOf('p50')}"/>`;
}

/** A line joins only adjacent intervals: nothing is known of a gap. */
function unbroken(points: readonly Point[]): Point[][] {
  const runs: Point[][] = [];
  for (const point of points) {
    const run = runs.at(-1);
    const isNext = run !== undefined && point.left - run.at(-1)!.right < 0.01;
    if (isNext) run.push(point);
    else runs.push([point]);
  }
  return runs;
}

/** Steps: each interval has one value, and a single interval is still visible. */
function line(run: readonly Point[], name: 'p50' | 'p95'): string {
  const steps = run.map((point) => `V${point[name]}H${place(point.right)}`);
  const first = run[0]!;
  return `M${place(first.left)} ${first[name]}${steps.join('')}`;
}

/** From the right end along p50 to the left. */
function back(run: readonly Point[]): string {
  return run
    .toReversed()
    .map((point) => `V${point.p50}H${place(point.left)}`)
    .join('');
}

function describe(timed: Report['series']['buckets'], seconds: number): string {
  const medians = timed.map(({ p50 }) => p50!);
  const highest = timed.map(({ p95 }) => p95!);
  return `In steps of ${spanText(seconds)}: p50 from ${msText(Math.min(...medians))} to ${msText(Math.max(...medians))}, p95 up to ${msText(Math.max(...highest))}.`;
}
