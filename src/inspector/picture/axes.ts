import type uPlot from 'uplot';
import { secondText } from '../text/format.js';
import { colourOf } from './colour.js';

/** Axes that stay in the background: times below, a few values on the left. */
export function axes(valueText: (value: number) => string): uPlot.Axis[] {
  const ink = { stroke: colourOf('--quiet'), font: '11px system-ui, sans-serif' };
  const line = { stroke: colourOf('--line'), width: 1 };
  return [
    {
      ...ink,
      size: 22,
      gap: 4,
      space: 88,
      grid: { show: false },
      ticks: { show: false },
      values: (_, seconds) => seconds.map((second) => secondText(new Date(second * 1000))),
    },
    {
      ...ink,
      size: 52,
      gap: 6,
      space: 28,
      grid: line,
      ticks: { show: false },
      values: (_, values) =>
        values.map((value: number | null) => (value === null ? '' : valueText(value))),
    },
  ];
}
