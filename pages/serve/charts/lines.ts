import uPlot from 'uplot';
import type { Series } from '../../../src/api/serve.js';
import { axes, colorOf, wholeSteps } from '../../shared/charts/axes.js';
import { countText } from '../../shared/text/format.js';

export type LineName = 'received' | 'delivered' | 'failedAttempts' | 'waiting';

export interface Line {
  readonly name: LineName;
  readonly title: string;
  readonly hint: string;
  /** The custom property of the style sheets with its color. */
  readonly color: '--good' | '--neutral' | '--warn' | '--bad';
  readonly dash?: number[];
}

/** Counted per step. */
export const rateLines: readonly Line[] = [
  {
    name: 'received',
    title: 'in',
    hint: 'Events received, rejected ones included',
    color: '--neutral',
    dash: [4, 3],
  },
  { name: 'delivered', title: 'out', hint: 'Events delivered', color: '--good' },
  {
    name: 'failedAttempts',
    title: 'failed attempts',
    hint: 'Attempts that did not deliver; most are retried',
    color: '--bad',
  },
];

/** At the end of each step. */
export const waitingLine: Line = {
  name: 'waiting',
  title: 'queued or waiting',
  hint: 'Events that are queued or wait for a retry',
  color: '--warn',
};

/** Where each step begins, in seconds since 1970. */
export function timesOf({ from, stepSeconds, received }: Series): number[] {
  const start = Date.parse(from) / 1000;
  return received.map((_, index) => start + index * stepSeconds);
}

export function dataOf(series: Series, lines: readonly Line[]): uPlot.AlignedData {
  return [timesOf(series), ...lines.map(({ name }) => [...series[name]])];
}

export function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}

/** A service that has just started has a chart of five minutes, or of two and a half hours. */
const minSteps = 30;

interface PlotSize {
  readonly stepSeconds: number;
  /** How many there are. */
  readonly steps: number;
}

/** Lines in steps: a value holds for all of its step. */
export function plotOptions(lines: readonly Line[], { stepSeconds, steps }: PlotSize) {
  const stepped = uPlot.paths.stepped!({ align: 1 });
  const series = lines.map(({ color, dash }): uPlot.Series => {
    const stroke = colorOf(color);
    return {
      ...{ stroke, width: 1.5, paths: stepped, points: { show: false } },
      ...(dash && { dash }),
      ...(lines.length === 1 && { fill: translucent(stroke) }),
    };
  });
  return {
    series: [{}, ...series],
    axes: axes(countText, { incrs: wholeSteps }),
    scales: {
      x: {
        range: (_: uPlot, __: number, to: number) =>
          [to - (Math.max(steps, minSteps) - 1) * stepSeconds, to + stepSeconds] as const,
      },
      y: { range: (_: uPlot, __: number, to: number) => [0, Math.max(to * 1.1, 2)] as const },
    } as unknown as uPlot.Scales,
  };
}

/** `rgb(1, 2, 3)` at a fifth of its strength. */
function translucent(color: string): string {
  return color.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.2)');
}
