import { printable } from '../../output/printable.js';
import { escapeXml } from '../../output/xml.js';
import type { CheckReport, ReportedResult } from '../result.js';
import { receivedLines, safeCommand } from './evidence.js';
import type { Report, ResultGroup } from './model.js';
import { verdictText } from './words.js';

/** The report as JUnit XML: a suite for each group; a failure is `fail`, skipped is `na`. */
export function junitReport({ run, groups }: Report): string {
  const { summary, results, durationMs } = run;
  const counts = countAttributes(results.length, summary.fail);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="evfwd check" ${counts} time="${seconds(durationMs)}">`,
    ...groups.map((group) => suite(group, run)),
    '</testsuites>',
    '',
  ].join('\n');
}

function suite({ name, results, counts }: ResultGroup, { url, startedAt }: CheckReport): string {
  const durationMs = results.reduce((sum, result) => sum + result.durationMs, 0);
  const timestamp = new Date(startedAt).toISOString().slice(0, 19);
  const numbers = `${countAttributes(results.length, counts.fail)} skipped="${counts.na}"`;
  const attributes = `name="${escapeXml(name)}" ${numbers} time="${seconds(durationMs)}" timestamp="${timestamp}" hostname="${attribute(new URL(url).host)}"`;
  return [
    `  <testsuite ${attributes}>`,
    ...results.map((result) => testCase(name, result)),
    '  </testsuite>',
  ].join('\n');
}

/** The schema of Jenkins has no `skipped` for all suites. */
function countAttributes(tests: number, failures: number): string {
  return `tests="${tests}" failures="${failures}" errors="0"`;
}

function testCase(group: string, result: ReportedResult): string {
  const { check, durationMs } = result;
  const name = attribute(`${check.id}: ${check.title}`);
  const attributes = `name="${name}" classname="evfwd.check.${escapeXml(group)}" time="${seconds(durationMs)}"`;
  const content = contentOf(result);
  if (content === '') return `    <testcase ${attributes}/>`;
  return `    <testcase ${attributes}>\n      ${content}\n    </testcase>`;
}

function contentOf(result: ReportedResult): string {
  const message = attribute(result.message);
  if (result.verdict === 'fail')
    return `<failure message="${message}" type="${result.level}">${details(result)}</failure>`;
  if (result.verdict === 'na') return `<skipped message="${message}"/>`;
  if (result.verdict === 'pass') return '';
  return `<system-out>${details(result)}</system-out>`;
}

function details(result: ReportedResult): string {
  const { check, message, sharedCurl, evidence } = result;
  const lines = [
    `${verdictText(result)}: ${printable(message)}`,
    ...(sharedCurl === undefined ? [] : `sent: ${safeCommand(sharedCurl)}`.split('\n')),
    ...(evidence ? receivedLines(evidence).map((line) => `came: ${line}`) : []),
    `why: ${check.why}`,
    `fix: ${check.fix}`,
  ];
  return lines.map(escapeXml).join('\n');
}

function attribute(text: string): string {
  return escapeXml(printable(text));
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
