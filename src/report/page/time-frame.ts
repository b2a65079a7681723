import type { TimeSeries } from '../series.js';
import { plotWidth } from './figure.js';

/** The time span of a chart, and the position of an interval in it. */
export interface TimeFrame {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** Between two columns, in units of the plot. */
  readonly gap: number;
  place(at: string): { left: number; right: number };
}

/** A single attempt must not fill the plot. */
const minColumns = 12;

export function timeFrame({ seconds, buckets }: TimeSeries): TimeFrame {
  const width = seconds * 1000;
  const from = Date.parse(buckets[0]!.at);
  const end = Date.parse(buckets[buckets.length - 1]!.at) + width;
  const to = Math.max(end, from + minColumns * width);
  const unit = plotWidth / (to - from);
  const place = (at: string): { left: number; right: number } => {
    const left = (Date.parse(at) - from) * unit;
    return { left, right: left + width * unit };
  };
  // Columns of a few pixels have no gap.
  const gap = (to - from) / width <= 80 ? width * unit * 0.2 : 0;
  return { from, to, gap, place };
}
