import { printable } from '../../output/printable.js';
import { fixCode } from '../fixes/handler.js';
import type { FixInput } from '../fixes/input.js';
import { frameworks, languages } from '../fixes/frameworks.js';
import type { CheckReport, ReportedResult } from '../result.js';
import { curlLines } from './curl-lines.js';
import { fenced } from './fence.js';
import { findingsOf, firstWithCode, idsText, type Finding } from './findings.js';
import { groupsOf, type ResultGroup } from './groups.js';
import { receivedLines } from './received.js';
import {
  caveat,
  countText,
  countTexts,
  headline,
  marks,
  runText,
  scoreText,
  verdictText,
} from './words.js';

const lineWidth = 100;

/** The report as GitHub-flavored Markdown, as for the summary of a job. */
export function markdownReport(report: CheckReport): string {
  const { summary, url } = report;
  const [title, text] = caveat(report) ?? [];
  const findings = findingsOf(report);
  return [
    `## Endpoint check: score ${scoreText(report)}`,
    `${headline(report)} ${countTexts(summary).join(', ')}.`,
    `\`${printable(url).replaceAll('`', '%60')}\`, ${escapeMarkdown(runText(report))}.`,
    ...(text === undefined ? [] : [`> **${title}**: ${escapeMarkdown(text)}`]),
    groupTable(groupsOf(report)),
    ...findings.map((finding) => section(finding, firstWithCode(findings, finding), report.fixes)),
    ...notJudged(report),
    '',
  ].join('\n\n');
}

/** A line of any origin, behind other text: markup, HTML and links are shown as they are. */
function escapeMarkdown(text: string): string {
  return printable(text)
    .replace(/[\\`*_{}[\]#!|~@]|:(?=\/\/)|(?<=www)\./gi, '\\$&')
    .replace(/[&<>]/g, (character) => entities[character]!);
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const columns = ['fail', 'warn', 'pass', 'na', 'info'] as const;

function groupTable(groups: readonly ResultGroup[]): string {
  const rows = groups.map(({ name, counts }) => {
    const cells = columns.map((verdict) => (counts[verdict] === 0 ? '' : String(counts[verdict])));
    return `| ${name} | ${cells.join(' | ')} |`;
  });
  return [
    '| group | failed | warnings | passed | not judged | information |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...rows,
  ].join('\n');
}

function section(finding: Finding, shown: Finding, fixes: FixInput): string {
  const { first, title, why, fix } = finding;
  const { check, verdict, sharedCurl, evidence } = first;
  const sent =
    sharedCurl === undefined
      ? [`**Sent**: ${escapeMarkdown(check.sends)}`]
      : ['**Sent**', fenced(curlLines(sharedCurl, lineWidth).join('\n'), 'sh')];
  return [
    `### ${marks[verdict]} ${escapeMarkdown(title)}`,
    found(finding),
    `**Fix**: ${escapeMarkdown(fix)}`,
    `**Why**: ${escapeMarkdown(why)}`,
    shown === finding
      ? codeOf(check.snippet, fixes)
      : `The fix in code is that of \`${idsText(shown)}\`.`,
    ...sent,
    ...(evidence ? ['**Received**', fenced(receivedLines(evidence).join('\n'), 'text')] : []),
  ].join('\n\n');
}

function found({ results }: Finding): string {
  const lines = results.map(
    (result) =>
      `\`${result.check.id}\` (${verdictText(result)}): ${escapeMarkdown(result.message)}`,
  );
  return lines.length === 1 ? lines[0]! : lines.map((line) => `- ${line}`).join('\n');
}

function codeOf(snippet: ReportedResult['check']['snippet'], fixes: FixInput): string {
  const parts = frameworks.map(
    (name) => `**${name}**\n\n${fenced(fixCode(snippet, name, fixes), languages[name])}`,
  );
  return `<details><summary>The fix in code</summary>\n\n${parts.join('\n\n')}\n\n</details>`;
}

/** A line for each reason. */
function notJudged({ results, summary }: CheckReport): string[] {
  if (summary.na === 0) return [];
  const ids = new Map<string, string[]>();
  for (const { check, verdict, message } of results) {
    if (verdict === 'na') ids.set(message, [...(ids.get(message) ?? []), `\`${check.id}\``]);
  }
  const lines = [...ids].map(([message, own]) => `- ${own.join(', ')}: ${escapeMarkdown(message)}`);
  return [
    `<details><summary>${countText('na', summary.na)}</summary>\n\n${lines.join('\n')}\n\n</details>`,
  ];
}
