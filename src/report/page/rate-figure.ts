import { count } from '../../output/numbers.js';
import type { Report } from '../report.js';
import { rateText, spanText } from '../words.js';
import { figureHtml, place, plotHeight } from './figure.js';
import { linearAxis, timeTicks } from './scale.js';
import { timeFrame, type TimeFrame } from './time-frame.js';

/** Failures are at the bottom, where their heights can be compared. */
const layers = ['failed', 'retry', 'delivered'] as const;

/** Attempts per second over time, by verdict, as stacked columns. */
export function rateFigure(report: Report): string {
  const { series, verdicts } = report;
  const frame = timeFrame(series);
  const perSecond = Math.max(...series.buckets.map(({ attempts }) => attempts)) / series.seconds;
  const axis = linearAxis(perSecond);
  return figureHtml({
    id: 'rate',
    title: 'Attempts over time',
    note: `<span class="legend">${legend(report)}</span>attempts per second, by the time they began (UTC)`,
    description: `Attempts per second in steps of ${spanText(series.seconds)}, at most ${rateText(Math.round(perSecond * 10) / 10)}. In total ${count(verdicts.delivered)} were delivered, ${count(verdicts.retry)} to be retried, ${count(verdicts.failed)} failed.`,
    marks: columns(report, frame, axis.end),
    x: timeTicks(frame.from, frame.to, 7),
    y: axis.ticks,
  });
}

function legend({ verdicts }: Report): string {
  const names = { delivered: 'delivered', retry: 'to be retried', failed: 'failed' };
  const present = layers.filter((layer) => layer === 'delivered' || verdicts[layer] > 0);
  return present
    .reverse()
    .map((layer) => `<span class="key"><i class="swatch ${layer}"></i>${names[layer]}</span>`)
    .join('');
}

function columns({ series }: Report, frame: TimeFrame, end: number): string {
  const paths = { failed: '', retry: '', delivered: '' };
  for (const bucket of series.buckets) {
    const { left, right } = frame.place(bucket.at);
    let bottom = plotHeight;
    for (const layer of layers) {
      const height = (bucket[layer] / series.seconds / end) * plotHeight;
      if (height === 0) continue;
      const top = bottom - height;
      paths[layer] += column(left, right - frame.gap, top, bottom);
      bottom = top;
    }
  }
  return layers
    .map((layer) => paths[layer] && `<path class="${layer}" d="${paths[layer]}"/>`)
    .join('');
}

function column(left: number, right: number, top: number, bottom: number): string {
  return `M${place(left)} ${place(bottom)}V${place(top)}H${place(right)}V${place(bottom)}Z`;
}
