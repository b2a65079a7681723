import { describe, expect, it } from 'vitest';
import { htmlReport } from '../../../src/check/report/html.js';
import { jsonLines } from '../../../src/check/report/json.js';
import { junitReport } from '../../../src/check/report/junit.js';
import { markdownReport } from '../../../src/check/report/markdown.js';
import { reportModel } from '../../../src/check/report/model.js';
import { sarifReport } from '../../../src/check/report/sarif.js';
import { hostileReport, reportOf, secret, usualReport } from './sample.js';

const files = { htmlReport, junitReport, markdownReport, sarifReport };

describe.each(Object.entries(files))('%s', (_, render) => {
  it('holds no value of a static header', () => {
    expect(render(reportModel(usualReport))).not.toContain(secret);
    expect(render(reportModel(usualReport))).toContain('Authorization: ***');
  });

  it('has the command that repeats a request, with the newlines of its body', () => {
    const text = unescaped(render(reportModel(usualReport))).replace(/ \\\n +/g, ' ');
    expect(text).toContain(usualReport.results.find(({ sharedCurl }) => sharedCurl)!.sharedCurl);
  });

  it('holds no control characters and no bidirectional marks', () => {
    expect(render(reportModel(hostileReport))).not.toMatch(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/,
    );
  });
});

describe('the JSON of check', () => {
  it('has a line for each check with its members in order, then the summary', () => {
    const lines = jsonLines(reportModel(usualReport)).map(
      (line) => JSON.parse(line) as Record<string, unknown>,
    );
    expect(Object.keys(lines[0]!)).toEqual([
      'type',
      'id',
      'level',
      'verdict',
      'message',
      'durationMs',
      'curl',
    ]);
    expect(lines[0]).toMatchObject({
      type: 'check',
      id: 'reach.connect',
      verdict: 'pass',
      curl: null,
    });
    expect(lines[10]!.curl).toMatch(/^curl -g .*s3cr3t-token/);
    expect(lines.at(-1)).toEqual({
      ...{ type: 'summary', pass: 10, warn: 2, fail: 2, na: 4, info: 1, score: 78 },
    });
  });

  it('stays one line each, whatever came', () => {
    expect(jsonLines(reportModel(hostileReport)).filter((line) => line.includes('\n'))).toEqual([]);
  });
});

describe('the JUnit report of check', () => {
  it('has a suite for each group: fail is a failure, not judged is skipped', () => {
    const xml = junitReport(reportModel(usualReport));
    expect(xml).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites name="evfwd check" tests="19" failures="2" errors="0" time="12.345">/,
    );
    expect(xml).toContain(
      '<testsuite name="sign" tests="4" failures="2" errors="0" skipped="1" time="0.049" timestamp="2026-11-23T06:05:04" hostname="hooks.example.com">',
    );
    expect(xml.match(/<failure /g)).toHaveLength(2);
    expect(xml.match(/<skipped /g)).toHaveLength(4);
    expect(xml).toContain('<skipped message="x-signature has no time"/>');
  });

  it.each([
    ['usual', usualReport],
    ['hostile', hostileReport],
  ])('is well-formed for %s texts', (_, report) => {
    expect(misnested(junitReport(reportModel(report)))).toEqual([]);
  });
});

describe('the SARIF report of check', () => {
  const log = JSON.parse(sarifReport(reportModel(usualReport))) as {
    version: string;
    runs: [
      {
        tool: { driver: { name: string; rules: { id: string; help: { markdown: string } }[] } };
        results: {
          ruleId: string;
          ruleIndex: number;
          level: string;
          message: { text: string };
          locations: [{ physicalLocation: { artifactLocation: { uri: string } } }];
          partialFingerprints: Record<string, string>;
        }[];
      },
    ];
  };
  const [{ tool, results }] = log.runs;

  it('has a rule for each check, and a result for each failure and warning', () => {
    expect(log.version).toBe('2.1.0');
    expect(tool.driver.name).toBe('evfwd');
    expect(tool.driver.rules.map(({ id }) => id)).toEqual(
      usualReport.results.map(({ check }) => check.id),
    );
    expect(results.map(({ ruleId, level }) => [ruleId, level])).toEqual([
      ['sign.raw-bytes.space', 'error'],
      ['sign.raw-bytes.numbers', 'error'],
      ['answer.quick', 'warning'],
      ['refuse.bad-json', 'warning'],
    ]);
    for (const { ruleId, ruleIndex } of results)
      expect(tool.driver.rules[ruleIndex]!.id).toBe(ruleId);
  });

  it('has what a rule and a result need', () => {
    for (const rule of tool.driver.rules) {
      expect(rule).toMatchObject({
        name: expect.stringMatching(/^\w+$/),
        shortDescription: { text: expect.stringMatching(/./) },
        fullDescription: { text: expect.stringMatching(/./) },
        help: {
          text: expect.stringMatching(/./),
          markdown: expect.stringMatching(/./),
        },
        defaultConfiguration: { level: expect.stringMatching(/^(?:error|warning|note)$/) },
      });
      expect(rule).not.toHaveProperty('helpUri');
    }
    // The code for every rule would be a megabyte.
    const withCode = tool.driver.rules.filter(({ help }) => help.markdown.includes('**Laravel**'));
    expect(withCode.map(({ id }) => id)).toEqual(results.map(({ ruleId }) => ruleId));
    for (const { message, partialFingerprints } of results) {
      expect(message.text).not.toBe('');
      expect(partialFingerprints.primaryLocationLineHash).toMatch(/^[0-9a-f]{16}:1$/);
    }
    const prints = results.map((result) => result.partialFingerprints.primaryLocationLineHash);
    expect(new Set(prints).size).toBe(results.length);
  });

  it.each([
    ['https://hooks.example.com/in/events', 'hooks.example.com/in/events'],
    ['http://localhost:3000/hook/', 'localhost_3000/hook'],
    ['http://[::1]:3000/', '___1__3000'],
  ])('has a relative path as location, which code scanning accepts, of %s', (url, uri) => {
    const report = reportOf([{ id: 'accept.track', verdict: 'fail' }], { url });
    const [run] = (JSON.parse(sarifReport(reportModel(report))) as typeof log).runs;
    const [{ physicalLocation }] = run.results[0]!.locations;
    expect(physicalLocation).toEqual({ artifactLocation: { uri }, region: { startLine: 1 } });
  });
});

describe('the Markdown report of check', () => {
  it('has the score, a table of groups, and each problem', () => {
    const text = markdownReport(reportModel(usualReport));
    expect(text).toMatch(/^## Endpoint check: score 78 of 100\n\nThis endpoint fails 2 checks\./);
    expect(text).toContain('| sign | 2 |  | 1 | 1 |  |');
    expect(text).toContain(
      '### ✗ Accepts a signed body with extra spaces\n\n`sign.raw-bytes.space`',
    );
    expect(text).toContain('<details><summary>The fix in code</summary>\n\n**Express**\n\n```js\n');
    expect(text).toContain('<details><summary>4 not judged</summary>');
  });

  it('shows what came as text: no markup, no HTML, no end of a fence', () => {
    const outside: string[] = [];
    let fence: string | undefined;
    for (const line of markdownReport(reportModel(hostileReport)).split('\n')) {
      const row = /^`{3,}/.exec(line)?.[0];
      if (fence === undefined && row !== undefined) fence = row;
      else if (fence !== undefined && line === fence) fence = undefined;
      else if (fence === undefined) outside.push(line);
    }
    expect(fence).toBeUndefined();
    const own = /<\/?(?:details|summary)>/g;
    expect(outside.filter((line) => /<(?!$)/.test(line.replace(own, '')))).toEqual([]);
    expect(outside.filter((line) => /(?<!\\)\[l\]|(?<!\\)\| \\?`x/.test(line))).toEqual([]);
  });
});

describe('the page of check', () => {
  it('loads nothing, runs nothing, and says so to the browser', () => {
    for (const report of [usualReport, hostileReport]) {
      const html = htmlReport(reportModel(report));
      expect(html).toContain(
        `content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"`,
      );
      expect(html).not.toMatch(/<script|<img|<iframe|\son\w+="|javascript:(?!1\))|<!--/i);
    }
  });

  it('closes what it opens, whatever came', () => {
    const html = htmlReport(reportModel(hostileReport)).replace(/<style>[^]*<\/style>/, '');
    const body = html.replace(/<(?:meta|link|input)\b[^>]*>|<!doctype html>/g, '');
    expect(misnested(body)).toEqual([]);
  });

  it('shows each problem once, and links it from the list of all checks', () => {
    const html = htmlReport(reportModel(usualReport));
    for (const id of ['sign.raw-bytes.space', 'refuse.bad-json']) {
      expect(html.split(`id="${id}"`)).toHaveLength(2);
      expect(html).toContain(`href="#${id}"`);
    }
    expect(html).not.toContain('id="accept.track"');
  });

  it('has one card for a cause: what was found and the fix before what was sent, the many findings folded', () => {
    const ids = ['missing', 'empty', 'cut', 'flipped', 'swapped', 'tampered'];
    const rows = ids.map((name) => ({
      ...({ id: `sign.${name}`, cause: 'verification', verdict: 'fail' } as const),
      message: `found ${name}`,
    }));
    const html = htmlReport(reportModel(reportOf(rows)));
    expect(html.match(/<article/g)).toHaveLength(1);
    expect(html).toContain('<h3>A good endpoint verifies the signature of every event</h3>');
    const parts = ['<dt>Found</dt>', '3 more</summary>', '<dt>Fix</dt>', '<dt>Sent</dt>'];
    const places = parts.map((part) => html.indexOf(part));
    expect(places).toEqual([...places].sort((one, other) => one - other));
    expect(places[0]).toBeGreaterThan(0);
    const folded = /<details class="more">([^]*?)<\/details>/.exec(html)![1]!;
    expect(folded.match(/Found \w+/g)).toEqual([
      'Found flipped',
      'Found swapped',
      'Found tampered',
    ]);
    expect(html).toContain('sign.missing · required, failed');
    expect(html).not.toMatch(/\bmust\b/);
  });

  it('says that a run ended early and has no score', () => {
    const { summary } = usualReport;
    const endedEarly = 'it was interrupted';
    const run = { ...usualReport, endedEarly, summary: { ...summary, score: null } };
    const html = htmlReport(reportModel(run));
    expect(html).toContain('Ended early: it was interrupted.');
    expect(html).toContain('<b>no score</b>');
  });
});

/** The text of XML, HTML or JSON. */
function unescaped(text: string): string {
  const plain = text
    .replace(/&#39;|&apos;/g, "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
  return text.startsWith('{') ? plain.replace(/\\n/g, '\n').replace(/\\(["\\])/g, '$1') : plain;
}

/** Tags that are closed by another one, or never; and attributes or entities that are not written right. */
function misnested(markup: string): string[] {
  const open: string[] = [];
  const wrong: string[] = [];
  const rest = markup.replace(
    /<\?xml[^>]*\?>|<(\/?)([a-z][\w-]*)((?:\s[\w-]+(?:="[^"<]*")?)*)\s*(\/?)>/g,
    (_, closing?: string, name?: string, _attributes?: string, isEmpty?: string) => {
      if (name === undefined || isEmpty) return '';
      if (!closing) open.push(name);
      else if (open.pop() !== name) wrong.push(`</${name}>`);
      return '';
    },
  );
  const stray = rest.match(/<.{0,20}|&(?!(?:amp|lt|gt|quot|apos|#39);).{0,10}/g) ?? [];
  return [...wrong, ...open, ...stray];
}
