import { fixCode } from '../../../src/check/fixes/handler.js';
import { describe, expect, it } from 'vitest';
import { reportLines } from '../../../src/check/report/text.js';
import { htmlReport } from '../../../src/check/report/html.js';
import { jsonLines } from '../../../src/check/report/json.js';
import { markdownReport } from '../../../src/check/report/markdown.js';
import { reportModel } from '../../../src/check/report/model.js';
import type { CauseName } from '../../../src/check/causes.js';
import type { Framework } from '../../../src/check/fixes/frameworks.js';
import type { CheckReport } from '../../../src/check/result.js';
import { unprintable } from '../../../src/output/printable.js';
import { widthOf } from '../../../src/output/columns.js';
import { hostileReport, reportOf, usualReport } from './sample.js';

const plain = (text: string): string => text;
const paint = { bold: plain, dim: plain, green: plain, red: plain, yellow: plain };

function linesOf(
  report: CheckReport,
  isVerbose = false,
  width = 80,
  frameworks: readonly Framework[] = [],
): string[] {
  return reportLines(reportModel(report), { paint, width, isVerbose, frameworks });
}

describe('the report of check on a terminal', () => {
  it('begins with a line for each group, and one for each check that is to be fixed', () => {
    const lines = linesOf(usualReport);
    expect(lines.slice(0, lines.indexOf(''))).toEqual([
      '✓ reach   1 passed, 1 info',
      '✓ accept  7 passed',
      '✗ sign    2 failed, 1 passed, 1 not judged',
      '  ✗ raw-bytes.space    the event was not accepted: HTTP 401',
      '  ✗ raw-bytes.numbers  the event was not accepted: HTTP 401',
      '– time    3 not judged',
      '✓ dup     1 passed',
      '! answer  1 warning',
      '  ! quick              p95 of 20 responses: 1.62 s',
      '! refuse  1 warning',
      '  ! bad-json           no response: connection reset',
    ]);
  });

  it.each([
    [200, 'the client certificate is valid for 200 days more', 'info'],
    [14, 'the client certificate is valid for 14 days more; renew it', 'warn'],
    [0, 'the client certificate has expired; renew it', 'warn'],
  ])('says that the client certificate is valid for %d days', (days, text, verdict) => {
    const { startedAt, durationMs, summary } = usualReport;
    const end = startedAt + durationMs + days * 86_400_000;
    const report = { ...usualReport, clientCertificateEnd: end };
    const isEnding = verdict === 'warn';
    expect(linesOf(report)).toContain(isEnding ? `warning: ${text}` : text);
    const lines = jsonLines(reportModel(report)).map((line): unknown => JSON.parse(line));
    const endsAt = new Date(end).toISOString();
    expect(lines.slice(-2)).toEqual([
      { type: 'clientCertificate', verdict, message: text, daysLeft: days, endsAt },
      // The score is about the endpoint.
      { type: 'summary', ...summary },
    ]);
    for (const file of [markdownReport(reportModel(report)), htmlReport(reportModel(report))])
      expect(file.includes(text)).toBe(isEnding);
    expect(linesOf(usualReport).join('\n')).not.toContain('client certificate');
  });

  it('has a line for each check with --verbose', () => {
    const lines = linesOf(usualReport, true);
    expect(lines).toContain('  ✓ track              HTTP 204');
  });

  it('says what was found and how to fix it before what was sent and received', () => {
    const text = linesOf(usualReport).join('\n');
    const problem = text.slice(text.indexOf('✗ sign.raw-bytes.space'));
    const found = problem.indexOf('  found  the event was not accepted: HTTP 401');
    const places = [
      '  fix    Compute',
      '  why    A receiver',
      '  sent   curl -g -X POST',
      '  got  ',
    ];
    expect(problem).toContain(`✗ sign.raw-bytes.space  required, failed
  A good endpoint accepts a signed body with extra spaces.
`);
    expect([found, ...places.map((label) => problem.indexOf(label))]).toEqual(
      [found, ...places.map((label) => problem.indexOf(label))].toSorted((a, b) => a - b),
    );
    expect(problem).toContain(`  got    HTTP 401 Unauthorized after 3.14 ms
         Content-Type: application/json
         Retry-After: 5
         {"error":"bad signature",
          "hint":"check the secret"}
`);
    expect(problem).not.toContain('left out');
  });

  it('shows checks of one cause as one finding, and as one row', () => {
    const cause: CauseName = 'raw body';
    const rows = ['space', 'order', 'numbers'].map((name) => ({
      id: `sign.raw-bytes.${name}`,
      verdict: 'fail' as const,
      message: `${name}: HTTP 401`,
      cause,
    }));
    const lines = linesOf(reportOf([{ id: 'sign.missing' }, ...rows]));
    expect(lines.slice(0, 2)).toEqual([
      '✗ sign  3 failed, 1 passed',
      '  ✗ raw-bytes.space (3)  space: HTTP 401',
    ]);
    const at = lines.indexOf('✗ sign.raw-bytes.space and 2 more  required, failed');
    expect(lines.slice(at + 1, at + 5)).toEqual([
      '  A good endpoint verifies the body as it was sent.',
      '  found  raw-bytes.space: space: HTTP 401',
      '         raw-bytes.order: order: HTTP 401',
      '         raw-bytes.numbers: numbers: HTTP 401',
    ]);
    expect(lines.filter((line) => line.startsWith('✗ sign.'))).toHaveLength(1);
  });

  it('counts the time of signatures that are not compared among what is not verified', () => {
    const rows = [
      { id: 'sign.wrong-key', cause: 'verification' as CauseName },
      { id: 'time.old', cause: 'time' as CauseName },
    ].map((row) => ({ ...row, verdict: 'fail' as const }));
    const lines = linesOf(reportOf(rows));
    expect(lines).toContain('✗ sign.wrong-key and 1 more  required, failed');
    expect(linesOf(reportOf(rows.slice(1)))).toContain('✗ time.old  required, failed');
  });

  it('leaves out a command that fills a screen, unless with --verbose', () => {
    const [result] = reportOf([{ id: 'sign.missing', verdict: 'fail' }]).results;
    const long = { ...result!, curl: `curl -g http://localhost/ --data '${'x'.repeat(3_000)}'` };
    const report = { ...reportOf([]), results: [long] };
    expect(linesOf(report).join('\n')).toMatch(
      / {2}sent {3}a valid event[^]*--verbose prints the\s+command/,
    );
    expect(linesOf(report, true).join('\n')).toContain('x'.repeat(3_000));
  });

  it('prints a command that repeats the request, with the newlines of its body', () => {
    const text = linesOf(usualReport)
      .join('\n')
      .replace(/ \\\n +/g, ' ');
    expect(text).toContain(usualReport.results.find(({ curl }) => curl)!.curl);
  });

  it('names the frameworks whose fixes can be printed, once', () => {
    const text = linesOf(usualReport).join(' ');
    expect(text.match(/--framework/g)).toHaveLength(1);
    expect(text).toContain('express prints the fixes in code');
    expect(text).not.toContain('  code ');
    expect(linesOf(reportOf([{ id: 'accept.track' }])).join(' ')).not.toContain('--framework');
  });

  it('prints the fixes of the frameworks that are chosen, each once, to be copied', () => {
    const lines = linesOf(usualReport, false, 80, ['Flask', 'Go']);
    const handler = fixCode(undefined, 'Flask', usualReport.fixes);
    expect(lines.join('\n').split(`  code   Flask\n\n${handler}\n`)).toHaveLength(2);
    expect(lines).toContain('package main');
    expect(lines).toContain('  code   as for sign.raw-bytes.space');
    expect(lines.join('\n')).not.toMatch(/express|--framework/);
  });

  it('puts the score below the table, and again below the problems', () => {
    const score = 'score 78 of 100  2 failed, 2 warnings, 10 passed, 4 not judged, 1 info';
    const lines = linesOf(usualReport);
    expect(lines.filter((line) => line === score)).toHaveLength(2);
    expect(lines.at(-1)).toBe(score);
    const good = linesOf(reportOf([{ id: 'accept.track' }]));
    expect(good).toEqual([
      '✓ accept  1 passed',
      '',
      'score 100 of 100  1 passed',
      'This endpoint is a good receiver.',
      'https://hooks.example.com/in/events',
      '1 check in 12 s, signed as x-signature, 2026-11-23 06:05 UTC',
    ]);
  });

  it('fits into the terminal: the table and prose are wrapped', () => {
    const table = linesOf(hostileReport, false, 60);
    const wide = table.slice(0, table.indexOf('')).filter((line) => widthOf(line) > 60);
    expect(wide).toEqual([]);
    const prose = linesOf(usualReport, false, 60).filter((line) =>
      /^ {2}(?:why|fix|found) /.test(line),
    );
    expect(prose.filter((line) => line.length > 60)).toEqual([]);
  });

  it('wraps a message of the table below its beginning', () => {
    const message = `a validly signed event with ${'spaces and '.repeat(4)}was not accepted: HTTP 401`;
    const lines = linesOf(reportOf([{ id: 'sign.spaces', verdict: 'fail', message }]));
    expect(lines.slice(1, 3)).toEqual([
      '  ✗ spaces             a validly signed event with spaces and spaces and spaces',
      '                       and spaces and was not accepted: HTTP 401',
    ]);
  });

  it('prints nothing of the endpoint that moves the cursor or hides text', () => {
    const lines = linesOf(hostileReport, true).join('\n').split('\n');
    expect(lines.filter((line) => line.search(unprintable) !== -1)).toEqual([]);
    expect(lines.join('\n')).toContain('\\u001b[31mred');
  });

  it('says why a run ended early, and that it could not be judged', () => {
    const report = reportOf([{ id: 'accept.track', verdict: 'na' }], {
      endedEarly: 'the endpoint accepted no valid event',
      isConclusive: false,
    });
    const text = linesOf({ ...report, summary: { ...report.summary, score: null } }).join('\n');
    expect(text).toContain('could not be judged: the endpoint accepted no valid event\nscore none');
    expect(text).toContain('This endpoint could not be judged.');
  });
});
