import { useMemo, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { axes, colorOf } from '../../shared/charts/axes.js';
import { Plot } from '../../shared/charts/plot.js';
import { Switch } from '../../shared/controls/fields.js';
import { countOf, countText, secondText } from '../../shared/text/format.js';
import { type Coloring, kindRules, type Timeline, topOf } from './timeline.js';

interface TimelineChartProps {
  readonly timeline: Timeline;
  /** Of the plot, in pixels. */
  readonly height: number;
  /** What was chosen; the timeline follows. */
  readonly chosen: Coloring;
  readonly onColoring: (coloring: Coloring) => void;
}

/** Requests over time, as columns stacked by response or by signature verdict. */
export function TimelineChart({ timeline, height, chosen, onColoring }: TimelineChartProps) {
  const { coloring, times, stepSeconds, counts } = timeline;
  const { kinds } = kindRules[coloring];
  const [column, setColumn] = useState<number>();
  const data = useMemo(() => stacked(timeline), [timeline]);
  const pointed = column === undefined ? undefined : times[column];
  const totals = counts.map((list) => list.reduce((sum, count) => sum + count, 0));
  const shown = counts.map((list, i) => (pointed === undefined ? totals[i]! : list[column!]!));
  const legend = kinds
    .map((kind, i) => ({ ...kind, count: shown[i]! }))
    .filter((_, i) => totals[i]! > 0);
  const title = stepSeconds === 1 ? 'Requests per second' : `Requests per ${stepText(stepSeconds)}`;
  return (
    <section class="chart" aria-labelledby="timeline-title">
      <header>
        <h2 id="timeline-title">{title}</h2>
        <p class="legend">
          {pointed !== undefined && <span>{secondText(new Date(pointed * 1000))}</span>}
          {legend.map(({ name, color, count }) => (
            <span key={name} class={`key ${color.slice(2)}`}>
              {name} <b>{countText(count)}</b>
            </span>
          ))}
        </p>
        <Switch
          label="Color by"
          choices={[
            { value: 'response', label: 'Response' },
            { value: 'signature', label: 'Signature' },
          ]}
          chosen={chosen}
          onChoose={onColoring}
        />
      </header>
      <Plot
        version={`${coloring} ${stepSeconds} ${height}`}
        options={() => optionsOf(coloring, stepSeconds)}
        data={data}
        label={`${title}: ${kinds.map(({ name }, i) => `${countText(totals[i]!)} ${name}`).join(', ')}.`}
        onPoint={setColumn}
        height={height}
      />
    </section>
  );
}

function stepText(seconds: number): string {
  if (seconds < 60) return countOf(seconds, 'second');
  if (seconds < 3600) return countOf(seconds / 60, 'minute');
  return countOf(seconds / 3600, 'hour');
}

/** Columns that reach from the ground to the top of their kind, the highest first: it is behind. */
function stacked({ times, counts }: Timeline): uPlot.AlignedData {
  const sums: number[][] = [];
  for (const list of counts) {
    const below = sums.at(-1);
    sums.push(list.map((count, i) => count + (below?.[i] ?? 0)));
  }
  return [[...times], ...sums.reverse()];
}

function optionsOf(coloring: Coloring, stepSeconds: number) {
  const paths = uPlot.paths.bars!({ size: [0.84, 40], align: 1 });
  const columns = kindRules[coloring].kinds.map(({ color }): uPlot.Series => {
    const fill = colorOf(color);
    return { fill, width: 0, paths, points: { show: false } };
  });
  return {
    series: [{}, ...columns.reverse()],
    axes: axes(countText, { splits: (_, __, from, to) => [from, to] }),
    scales: {
      x: { range: (_: uPlot, from: number, to: number) => [from, to + stepSeconds] as const },
      y: { range: (_: uPlot, __: number, to: number) => [0, topOf(to)] as const },
    } as unknown as uPlot.Scales,
  };
}
