import { judge, summarise } from './measure-case.js';
import { measured, number, table } from './table.js';

const contenderHead = ['', 'events/s', 'time', 'CPU s', 'peak MB'];
const promiseHead = ['', 'measured', 'promised', 'holds'];

/** What was measured in one case, for people. */
export function reportCase({ name, title, results, skipped }) {
  const rows = [...results].map(([contender, runs]) => [contender, ...measured(summarise(runs))]);
  const parts = [`${name}: ${title}`, indent(table(contenderHead, rows))];
  parts.push(...skipped.map((why) => `  skipped: ${why}`));
  return [...parts, ''].join('\n');
}

/** All promises of all cases, the last word of a run. */
export function reportPromises(cases) {
  const rows = cases.flatMap(({ name, promises, results }) =>
    promises.flatMap((promise) => promiseRow(name, promise, judge(promise, results))),
  );
  return table(promiseHead, rows);
}

/** The same as data. */
export function asData({ name, title, promises, results, skipped }) {
  return {
    name,
    title,
    skipped,
    contenders: [...results].map(([contender, runs]) => ({
      name: contender,
      median: summarise(runs),
      runs: runs.map(({ seconds, rate, events, cpuSeconds, peakMb }) => ({
        ...{ seconds, rate, events, cpuSeconds, peakMb },
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

const metricNames = { rate: 'events/s', seconds: 'time', peakMb: 'peak MB', cpuSeconds: 'CPU' };

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
