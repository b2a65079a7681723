import uPlot from 'uplot';
import { axes, colorOf } from '../../shared/charts/axes.js';
import { countText } from '../../shared/text/format.js';
import type { Line } from './lines.js';

/** Events are counted in whole ones. */
const wholeSteps = [1, 10, 100, 1e3, 1e4, 1e5, 1e6].flatMap((n) => [n, 2 * n, 5 * n]);

/** A service that has just started has a chart of five minutes, or of two and a half hours. */
const leastSteps = 30;

interface PlotSize {
  readonly stepSeconds: number;
  /** How many there are. */
  readonly steps: number;
  /** Whether the times are shown, below the plot. */
  readonly hasTimes: boolean;
}

/** Lines in steps: a value holds for all of its step. */
export function plotOptions(lines: readonly Line[], { stepSeconds, steps, hasTimes }: PlotSize) {
  const stepped = uPlot.paths.stepped!({ align: 1 });
  const series = lines.map(({ color, dash }): uPlot.Series => {
    const stroke = colorOf(color);
    return {
      ...{ stroke, width: 1.5, paths: stepped, points: { show: false } },
      ...(dash && { dash }),
      ...(lines.length === 1 && { fill: translucent(stroke) }),
    };
  });
  const [times, values] = axes(countText, { incrs: wholeSteps });
  return {
    series: [{}, ...series],
    axes: [
      { ...times!, show: hasTimes },
      { ...values!, space: hasTimes ? 16 : 22 },
    ],
    // Half a label has to fit below the axis.
    ...(!hasTimes && { padding: [8, 8, 7, 0] as [number, number, number, number] }),
    scales: {
      x: {
        range: (_: uPlot, __: number, to: number) =>
          [to - (Math.max(steps, leastSteps) - 1) * stepSeconds, to + stepSeconds] as const,
      },
      y: { range: (_: uPlot, __: number, to: number) => [0, Math.max(to * 1.1, 2)] as const },
    } as unknown as uPlot.Scales,
  };
}

/** `rgb(1, 2, 3)` at a fifth of its strength. */
function translucent(color: string): string {
  return color.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.2)');
}
