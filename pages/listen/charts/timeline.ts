import type { RequestRow } from '../../../src/api/listen.js';
import { statusClass } from '../filter/filter.js';

/** Requests grouped by the time of their arrival. */
export interface Timeline {
  readonly coloring: Coloring;
  /** The width of a column. */
  readonly stepSeconds: number;
  /** Where each column begins, in seconds since 1970, none left out. */
  readonly times: readonly number[];
  /** For each kind, the requests in each column. */
  readonly counts: readonly (readonly number[])[];
  /** Durations at each column, in milliseconds; null where there are no requests. */
  readonly p50: readonly (number | null)[];
  readonly p95: readonly (number | null)[];
  /** The same over all columns. */
  readonly overall: { readonly p50: number | null; readonly p95: number | null };
}

/** Widths that people count in. */
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400];
const maxColumns = 90;
const minColumns = 30;

/** `rows` with the oldest first; an empty timeline for none. */
export function timelineOf(rows: readonly RequestRow[], coloring: Coloring): Timeline {
  const { kinds, of } = kindRules[coloring];
  const seconds = rows.map(({ receivedAt }) => Date.parse(receivedAt) / 1000);
  const { times, stepSeconds } = columnsOf(seconds);
  const counts = kinds.map(() => times.map(() => 0));
  const durations = times.map((): number[] => []);
  rows.forEach((row, i) => {
    const column = Math.floor((seconds[i]! - times[0]!) / stepSeconds);
    counts[of(row)]![column]!++;
    durations[column]!.push(row.durationMs);
  });
  const all = durations.flat();
  for (const list of [...durations, all]) list.sort((one, other) => one - other);
  return {
    coloring,
    stepSeconds,
    times,
    counts,
    p50: durations.map((sorted) => percentile(sorted, 0.5)),
    p95: durations.map((sorted) => percentile(sorted, 0.95)),
    overall: { p50: percentile(all, 0.5), p95: percentile(all, 0.95) },
  };
}

/** With fewer columns than this that have requests, a chart tells little. */
const fewColumns = 5;

export function isSparse({ p50 }: Timeline): boolean {
  return p50.filter((ms) => ms !== null).length < fewColumns;
}

function columnsOf(seconds: readonly number[]): { times: number[]; stepSeconds: number } {
  if (seconds.length === 0) return { times: [], stepSeconds: 1 };
  let first = Infinity;
  let last = -Infinity;
  // The clock of a machine may be set back between two requests.
  for (const second of seconds) {
    first = Math.min(first, second);
    last = Math.max(last, second);
  }
  const fit = (step: number): boolean => (last - first) / step < maxColumns - 1;
  const stepSeconds = steps.find(fit) ?? Math.ceil((last - first) / (maxColumns - 1));
  const end = Math.floor(last / stepSeconds);
  const begin = Math.min(Math.floor(first / stepSeconds), end - minColumns + 1);
  const times = Array.from({ length: end - begin + 1 }, (_, i) => (begin + i) * stepSeconds);
  return { times, stepSeconds };
}

function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

/** What a timeline can be colored by. */
export type Coloring = 'response' | 'signature';

interface Kind {
  readonly name: string;
  /** The custom property of the style sheets with its color. */
  readonly color: '--good' | '--neutral' | '--warn' | '--bad';
}

interface KindRule {
  readonly kinds: readonly Kind[];
  /** The index among the kinds. */
  readonly of: (row: RequestRow) => number;
}

const signatures = ['valid', 'unchecked', 'missing', 'invalid'];

/** The kinds of each coloring, from the bottom of a column to its top. */
export const kindRules: Readonly<Record<Coloring, KindRule>> = {
  response: {
    kinds: [
      { name: '2xx', color: '--good' },
      { name: 'not 2xx', color: '--warn' },
      { name: 'no response', color: '--bad' },
    ],
    of: (row) => {
      const status = statusClass(row);
      return status === '2xx' ? 0 : status === 'none' ? 2 : 1;
    },
  },
  signature: {
    kinds: [
      { name: 'valid', color: '--good' },
      { name: 'unchecked', color: '--neutral' },
      { name: 'missing', color: '--warn' },
      { name: 'invalid', color: '--bad' },
    ],
    of: ({ signature }) => signatures.indexOf(signature),
  },
};

/** The top of a scale that reaches to a count: a round number, to be its label. */
export function topOf(count: number): number {
  const step = 10 ** Math.floor(Math.log10(Math.max(count, 1)));
  return Math.max(2, Math.ceil(count / step) * step);
}
