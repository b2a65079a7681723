import { createHash } from 'node:crypto';
import { printable } from '../../output/printable.js';
import { version } from '../../version.js';
import { fixCode } from '../fixes/handler.js';
import type { FixInput } from '../fixes/input.js';
import type { CheckReport, ReportedResult } from '../result.js';
import { safeCommand } from './evidence.js';
import { codeMarkdown } from './markdown.js';
import { problemsIn, type Report } from './model.js';

const schema =
  'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
const home = 'https://github.com/evfwd/evfwd';

/** The report as SARIF 2.1.0: every check is a rule, every failure and warning a result. */
export function sarifReport({ run: report }: Report): string {
  const uri = locationUri(report.url);
  const ids = report.results.map(({ check }) => check.id);
  const run = {
    tool: {
      driver: { name: 'evfwd', version, informationUri: home, rules: rulesOf(report) },
    },
    automationDetails: { id: `evfwd-check/${uri}/` },
    invocations: [
      {
        executionSuccessful: report.isConclusive && report.incomplete === undefined,
        startTimeUtc: new Date(report.startedAt).toISOString(),
        endTimeUtc: new Date(report.startedAt + report.durationMs).toISOString(),
      },
    ],
    results: problemsIn(report.results).map((result) => resultOf(result, ids, report.url, uri)),
    columnKind: 'utf16CodeUnits',
    properties: { url: report.url, ...report.summary },
  };
  return `${JSON.stringify({ $schema: schema, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

const levels = { must: 'error', should: 'warning', info: 'note' } as const;

function rulesOf({ results, fixes }: CheckReport): object[] {
  const problems = problemsIn(results);
  return results.map((result) => ruleOf(result, problems.includes(result) ? fixes : undefined));
}

/** @param fixes of a rule that has a result: code for every rule would be a megabyte */
function ruleOf({ check, level }: ReportedResult, fixes: FixInput | undefined): object {
  const { id, title, why, fix, sends, passes, snippet } = check;
  const code = fixes ? [codeMarkdown((name) => fixCode(snippet, name, fixes))] : [];
  const texts = [why, `Sent: ${sends}. Passes: ${passes}.`, fix];
  return {
    id,
    name: id.replace(/(?:^|[.-])(\w)/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: title },
    fullDescription: { text: why },
    help: { text: texts.join('\n'), markdown: [...texts, ...code].join('\n\n') },
    defaultConfiguration: { level: levels[level] },
    properties: { tags: ['webhooks'] },
  };
}

function resultOf(
  { check, level, verdict, message, sharedCurl }: ReportedResult,
  ids: readonly string[],
  url: string,
  uri: string,
): object {
  return {
    ruleId: check.id,
    ruleIndex: ids.indexOf(check.id),
    kind: 'fail',
    level: verdict === 'fail' ? 'error' : 'warning',
    message: { text: `${check.title}: ${printable(message)}` },
    locations: [{ physicalLocation: { artifactLocation: { uri }, region: { startLine: 1 } } }],
    partialFingerprints: { primaryLocationLineHash: fingerprint(check.id, url) },
    properties: { url, level, ...(sharedCurl !== undefined && { curl: safeCommand(sharedCurl) }) },
  };
}

/** The same problem of the same endpoint is the same alert in the next run. */
function fingerprint(id: string, url: string): string {
  return `${createHash('sha256').update(`${id} ${url}`).digest('hex').slice(0, 16)}:1`;
}

/**
 * The endpoint as a path relative to the repository, `example.com/hook`: code scanning refuses an upload
 * whose locations have another scheme than `file`.
 */
function locationUri(url: string): string {
  const { host, pathname } = new URL(url);
  return host.replace(/[[\]:]/g, '_') + pathname.replace(/\/+$/, '');
}
