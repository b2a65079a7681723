import type uPlot from 'uplot';
import { secondText } from '../text/format.js';

/** The room for values on the left. */
const leftPx = 52;
/** Half of a time, in pixels. */
const reach = 26;

/** Steps of an axis for what is counted in whole ones. */
export const wholeSteps = [1, 10, 100, 1e3, 1e4, 1e5, 1e6].flatMap((n) => [n, 2 * n, 5 * n]);

/** Axes that stay in the background: times below, a few values on the left, at `values`. */
export function axes(
  valueText: (value: number) => string,
  values: Pick<uPlot.Axis, 'splits' | 'incrs'>,
): uPlot.Axis[] {
  const ink = { stroke: colorOf('--quiet'), font: '11px system-ui, sans-serif' };
  const line = { stroke: colorOf('--line'), width: 1 };
  return [
    {
      ...ink,
      size: 22,
      gap: 4,
      space: 88,
      grid: { show: false },
      ticks: { show: false },
      // A label at the edge would be cut off, or overlap the other axis.
      values: (plot, seconds) =>
        seconds.map((second) => {
          const left = plot.valToPos(second, 'x');
          const isInside = left > reach && left < plot.width - leftPx - reach;
          return isInside ? secondText(new Date(second * 1000)) : '';
        }),
    },
    {
      ...ink,
      ...values,
      size: leftPx,
      gap: 6,
      space: 22,
      grid: line,
      ticks: { show: false },
      // By default, a logarithmic axis omits most of its labels.
      filter: (_, splits) => splits,
      values: (_, splits) => splits.map(valueText),
    },
  ];
}

/** A color of the style sheets in the current theme, in a form that a canvas accepts. */
export function colorOf(property: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${property})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
