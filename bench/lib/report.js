import { judge, summarize } from './measure-case.js';
import { measured, number, table } from './table.js';

const contenderColumns = ['', 'events/s', 'time', 'CPU s', 'peak MB', 'p99 ms'];
const promiseColumns = ['', 'measured', 'promised', 'holds'];

/** The results of one case, for people. */
export function reportCase({ name, title, results, skipped }) {
  const rows = [...results].map(([contender, runs]) => [contender, ...measured(summarize(runs))]);
  const parts = [`${name}: ${title}`, indent(table(contenderColumns, rows))];
  parts.push(...skipped.map((why) => `  skipped: ${why}`));
  return [...parts, ''].join('\n');
}

/** All promises of all cases, printed last. */
export function reportPromises(cases) {
  const rows = cases.flatMap(({ name, promises, results }) =>
    promises.flatMap((promise) => promiseRow(name, promise, judge(promise, results))),
  );
  return table(promiseColumns, rows);
}

/** The same as data. */
export function asData({ name, title, promises, results, skipped }) {
  return {
    name,
    title,
    skipped,
    contenders: [...results].map(([contender, runs]) => ({
      name: contender,
      median: summarize(runs),
      runs: runs.map(({ seconds, rate, events, cpuSeconds, peakMb, p99Ms }) => ({
        ...{ seconds, rate, events, cpuSeconds, peakMb, p99Ms },
      })),
    })),
    comparisons: promises.map((promise) => ({ ...promise, ...judge(promise, results) })),
  };
}

function promiseRow(name, promise, verdict) {
  if (!verdict) return [];
  const { holds, value } = verdict;
  const shown = holds === undefined ? '' : holds ? 'yes' : 'NO';
  return [
    [`${name}, ${describe(promise)}`, number(value, value >= 1000 ? 0 : 2), bound(promise), shown],
  ];
}

const metricNames = {
  ...{ rate: 'events/s', seconds: 'time', peakMb: 'peak MB', cpuSeconds: 'CPU' },
  p99Ms: 'p99',
};

function describe({ subject, peer, metric = 'rate' }) {
  return `${metricNames[metric]}: ${subject}${peer === undefined ? '' : ` / ${peer}`}`;
}

function bound({ atLeast, atMost }) {
  if (atLeast !== undefined) return `≥ ${number(atLeast, atLeast % 1 ? 2 : 0)}`;
  return atMost === undefined ? '' : `≤ ${number(atMost, atMost % 1 ? 2 : 0)}`;
}

function indent(text) {
  return text.replace(/^/gm, '  ');
}
