import { printable } from '../../output/printable.js';
import { frameworks, languageOf } from '../fixes/frameworks.js';
import type { CheckReport } from '../result.js';
import { curlLines } from './evidence.js';
import type { Finding, Report, ResultGroup } from './model.js';
import { countText, marks, verdictText } from './words.js';

const lineWidth = 100;

/** The report as GitHub-flavored Markdown, as for the summary of a job. */
export function markdownReport(report: Report): string {
  const { run, headline, score, counts, about, caveat, clientCertificate, groups, findings } =
    report;
  return [
    `## Endpoint check: score ${score}`,
    `${headline} ${counts}.`,
    `\`${printable(run.url).replaceAll('`', '%60')}\`, ${escapeMarkdown(about)}.`,
    ...(caveat ? [`> **${caveat.title}**: ${escapeMarkdown(caveat.text)}`] : []),
    ...(clientCertificate?.isEnding ? [`> **Warning**: ${clientCertificate.text}`] : []),
    groupTable(groups),
    ...findings.map(section),
    ...notJudged(run),
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

function section({ first, results, title, why, fix, code, codeOf, received }: Finding): string {
  const { check, verdict, sharedCurl } = first;
  const sent =
    sharedCurl === undefined
      ? [`**Sent**: ${escapeMarkdown(check.sends)}`]
      : ['**Sent**', fenced(curlLines(sharedCurl, lineWidth).join('\n'), 'sh')];
  return [
    `### ${marks[verdict]} ${escapeMarkdown(title)}`,
    found(results),
    `**Fix**: ${escapeMarkdown(fix)}`,
    `**Why**: ${escapeMarkdown(why)}`,
    codeOf
      ? `The fix in code is that of \`${codeOf.ids}\`.`
      : `<details><summary>The fix in code</summary>\n\n${codeMarkdown(code)}\n\n</details>`,
    ...sent,
    ...(received.length > 0 ? ['**Received**', fenced(received.join('\n'), 'text')] : []),
  ].join('\n\n');
}

function found(results: Finding['results']): string {
  const lines = results.map(
    (result) =>
      `\`${result.check.id}\` (${verdictText(result)}): ${escapeMarkdown(result.message)}`,
  );
  return lines.length === 1 ? lines[0]! : lines.map((line) => `- ${line}`).join('\n');
}

/** The fix in code, for each framework. */
export function codeMarkdown(code: Finding['code']): string {
  return frameworks
    .map((name) => `**${name}**\n\n${fenced(code(name), languageOf(name))}`)
    .join('\n\n');
}

/** A code block whose fence is longer than any row of backticks in the text. */
function fenced(text: string, language: string): string {
  const rows = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...rows.map(({ length }) => length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
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
