import { useMemo, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { axes, colorOf } from '../../shared/charts/axes.js';
import { Plot } from '../../shared/charts/plot.js';
import { durationText, secondText } from '../../shared/text/format.js';
import type { Timeline } from './timeline.js';

interface LatencyChartProps {
  readonly timeline: Timeline;
  /** Of the plot, in pixels. */
  readonly height: number;
}

/** The response time over time: p50 and p95. */
export function LatencyChart({ timeline, height }: LatencyChartProps) {
  const [column, setColumn] = useState<number>();
  const { times, p50, p95, overall, stepSeconds } = timeline;
  const data = useMemo(
    (): uPlot.AlignedData => [[...times], drawable(p50), drawable(p95)],
    [timeline],
  );
  const pointed = column === undefined || p50[column] == null ? undefined : times[column];
  const shown =
    pointed === undefined ? overall : { p50: p50[column!] ?? null, p95: p95[column!] ?? null };
  return (
    <section class="chart" aria-labelledby="latency-title">
      <header>
        <h2 id="latency-title">Response time</h2>
        <p class="legend">
          {pointed !== undefined && <span>{secondText(new Date(pointed * 1000))}</span>}
          <span class="key line good">
            p50 <b>{words(shown.p50)}</b>
          </span>
          <span class="key line neutral">
            p95 <b>{words(shown.p95)}</b>
          </span>
        </p>
      </header>
      <Plot
        version={`${stepSeconds} ${height}`}
        options={() => optionsOf(stepSeconds)}
        data={data}
        label={`Response time: p50 ${words(overall.p50)}, p95 ${words(overall.p95)}.`}
        onPoint={setColumn}
        height={height}
      />
    </section>
  );
}

/** What a logarithmic scale can show at least, in milliseconds. */
const minMs = 0.01;

function words(ms: number | null): string {
  return ms === null ? '–' : durationText(ms);
}

function drawable(list: Timeline['p50']): (number | null)[] {
  return list.map((ms) => (ms === null ? null : Math.max(ms, minMs)));
}

function optionsOf(stepSeconds: number) {
  const line = (property: string, width: number): uPlot.Series => {
    const stroke = colorOf(property);
    return {
      stroke,
      width,
      spanGaps: false,
      points: { show: true, size: 4, fill: stroke, width: 0 },
    };
  };
  return {
    series: [{}, line('--good', 1.5), line('--neutral', 1)],
    axes: axes(durationWord, { splits: (_, __, from, to) => powers(from, to) }),
    scales: {
      x: { range: (_: uPlot, from: number, to: number) => [from, to + stepSeconds] as const },
      y: { distr: 3, range: (_: uPlot, from: number, to: number) => decades(from, to) },
    } as unknown as uPlot.Scales,
  };
}

/** Whole powers of ten around what there is. */
function decades(from: number, to: number): [number, number] {
  const low = Math.floor(Math.log10(Math.max(from, minMs)) + 1e-9);
  const high = Math.ceil(Math.log10(Math.max(to, minMs)) - 1e-9);
  return [10 ** low, 10 ** Math.max(high, low + 1)];
}

/** Powers of ten on a scale, no more than a few. */
function powers(from: number, to: number): number[] {
  const low = Math.round(Math.log10(from));
  const count = Math.round(Math.log10(to)) - low + 1;
  const step = Math.ceil(count / 3);
  return Array.from({ length: Math.ceil(count / step) }, (_, i) => 10 ** (low + i * step));
}

/** `0.1 ms`, `10 ms`, `1 s`. */
function durationWord(ms: number): string {
  return ms < 1000 ? `${Number(ms.toPrecision(2))} ms` : `${ms / 1000} s`;
}
