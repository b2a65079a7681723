import type uPlot from 'uplot';
import type { Series } from '../../../src/api/serve.js';

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
  title: 'waiting',
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
