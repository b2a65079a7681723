import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reportPage } from '../../../src/report/page/page.js';
import { anyAttempt, attempt, reportOf, start } from '../attempts.js';

const anyPage = fc.array(anyAttempt, { minLength: 1, maxLength: 40 }).map(reportOf).map(reportPage);

describe('the page of a report', () => {
  it('has a policy that allows no script and no request, and needs none', () => {
    const html = reportPage(reportOf([attempt()]));
    expect(html).toContain(
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">`,
    );
    expect(html.indexOf('Content-Security-Policy')).toBeLessThan(html.indexOf('<style'));
    expect(html).not.toMatch(/<script|<iframe|<img|@import|url\(|\ssrc=|\son\w+=/i);
    expect([...html.matchAll(/\shref="([^"]*)"/g)].map(([, href]) => href)).toEqual(['data:,']);
  });

  it('shows hostile URLs, errors and file names as text', () => {
    const hostile = `"><script>alert(1)</script><img src=x onerror='a'>&amp;\u202e\u0000`;
    const report = reportOf([
      attempt({ url: hostile }),
      attempt({ url: 'https://b.example/', status: null, error: hostile, verdict: 'retry' }),
    ]);
    const first = { file: hostile, line: 1, message: hostile };
    const html = reportPage({
      ...report,
      files: [hostile],
      broken: { count: 1, first },
      brokenInputs: [{ file: hostile, lines: 1, message: hostile }],
    });
    expect(html).not.toMatch(/<script|<img/);
    expect(html).not.toContain('\u202e');
    const escaped = '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;';
    expect(html.split(escaped)).toHaveLength(8);
    expect(tagsOf(html)).toEqual(tagsOf(reportPage({ ...report, ...harmless })));
  });

  it('has one heading per table, and a title and description in every chart', () => {
    const html = reportPage(reportOf([attempt()]));
    const number = (pattern: RegExp) => [...html.matchAll(pattern)].length;
    expect(number(/<h1>/g)).toBe(1);
    expect(number(/<svg /g)).toBe(3);
    expect(number(/<title id=/g)).toBe(3);
    expect(number(/<desc id=/g)).toBe(3);
    expect(number(/<table /g)).toBe(number(/<table [^>]*aria-labelledby=/g));
    const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const used = [...html.matchAll(/aria-labelledby="([^"]+)"/g)].flatMap(([, id]) =>
      id!.split(' '),
    );
    expect(used.filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('writes percentages without a space, also at the axes', () => {
    const html = reportPage(reportOf([attempt()]));
    expect(html).toContain('100%');
    expect(html).not.toContain(' %');
  });

  it('lists what failed, what the endpoint said, and how to send it again', () => {
    const response = { headers: { 'content-type': 'text/plain' }, body: '<b>no plan</b>\nline 2' };
    const failed = { status: 422, verdict: 'failed', response } as const;
    const url = "https://b.example/it's";
    const html = reportPage(
      reportOf([
        attempt({ messageId: 'm1', ...failed }),
        attempt({ messageId: 'm2', ...failed, url }),
      ]),
    );
    expect(html).toContain('<h3>422 Unprocessable Entity</h3>');
    expect(html).toContain('content-type: text/plain\n&lt;b&gt;no plan&lt;/b&gt;\nline 2</pre>');
    expect(html.indexOf('<th scope="row">m2</th>')).toBeLessThan(html.indexOf('>m1</th>'));
    expect(html).toContain('<p class="said">no plan line 2</p>');
    const quoted = '&#39;https://b.example/it&#39;\\&#39;&#39;s&#39;';
    expect(html).toContain(`evfwd import DEAD_LETTER_FILE --url ${quoted} --url `);
  });

  it('groups what failed by the response, and has the ids on demand', () => {
    const failed = (messageId: string, status: number, body: string) =>
      attempt({ messageId, status, verdict: 'failed', response: { headers: {}, body } });
    const html = reportPage(
      reportOf([failed('m1', 422, 'a'), failed('m2', 422, 'b'), failed('m3', 422, 'a')]),
    );
    const groups = [
      ...html.matchAll(/<h3>([^<]*) <span>([^<]*)<\/span><\/h3>\s*<p class="said">(.)/g),
    ];
    expect(groups.map(([, ...group]) => group)).toEqual([
      ['422 Unprocessable Entity', '2 events', 'a'],
      ['422 Unprocessable Entity', '1 event', 'b'],
    ]);
    const ids = [...html.matchAll(/<details>[^]*?<\/details>/g)].map(([details]) => details);
    expect(ids.map((details) => details.match(/\bm\d/g))).toEqual([['m3', 'm1'], ['m2']]);
  });

  it('has the command that sends what failed again, where the dead-letter file is known', () => {
    const report = reportOf([attempt({ status: 422, verdict: 'failed' })]);
    const html = reportPage(report, '.evfwd/ev-1.dead-letter.ndjson');
    expect(html).toContain('evfwd import &#39;.evfwd/ev-1.dead-letter.ndjson&#39; --url ');
    expect(html).not.toContain('DEAD_LETTER_FILE');
  });

  it('has no card that says nothing', () => {
    const one = reportPage(reportOf([attempt()]));
    expect(one).toContain('<h2 id="statuses">');
    expect(one).not.toMatch(/id="(?:errors|attempts|urls)"/);
    expect(one).toContain(' · https://example.com/hook</p>');
    const more = [
      attempt({ status: null, error: 'reset', verdict: 'retry' }),
      attempt({ attempt: 2 }),
    ];
    const both = reportPage(reportOf([...more, attempt({ url: 'https://b.example/' })]));
    expect(both.match(/id="(?:errors|attempts|urls)"/g)).toHaveLength(3);
  });

  it('has no list of failures where nothing failed', () => {
    const html = reportPage(reportOf([attempt()]));
    expect(html).not.toContain('DEAD_LETTER_FILE');
    expect(html).not.toContain('What the endpoint said');
  });

  it('has valid coordinates, whatever the log', () => {
    fc.assert(
      fc.property(anyPage, (html) => {
        expect(html).not.toMatch(/NaN|Infinity|undefined|\[object/);
        const places = [...html.matchAll(/(?:left|right|bottom):(-?[\d.]+)%/g)];
        for (const [, at] of places) {
          expect(Number(at)).toBeGreaterThanOrEqual(0);
          expect(Number(at)).toBeLessThanOrEqual(100);
        }
        for (const [, path] of html.matchAll(/ d="([^"]*)"/g)) {
          expect(path).toMatch(/^(?:[MVHZ ]|-?\d+(?:\.\d+)?(?:e-?\d+)?)*$/);
        }
      }),
    );
  });

  it('closes what it opens', () => {
    fc.assert(
      fc.property(anyPage, (html) => {
        expect(openTags(html)).toEqual([]);
      }),
    );
  });

  it('leaves out latency if nothing was sent', () => {
    const gone = attempt({ status: null, error: 'gone', verdict: 'failed', durationMs: 0 });
    const html = reportPage(reportOf([gone]));
    expect(html).toContain('id="rate"');
    expect(html).not.toContain('id="latency"');
    expect(html).not.toContain('id="distribution"');
    expect(html).not.toContain('id="statuses"');
  });

  it('stays small for a long log', () => {
    const many = Array.from({ length: 20_000 }, (_, i) =>
      attempt({ at: start + i * 1_000, url: `https://${i % 3_000}.example/`, durationMs: i }),
    );
    expect(reportPage(reportOf(many)).length).toBeLessThan(60_000);
  });
});

const harmless = {
  files: ['log'],
  broken: { count: 1, first: { file: 'log', line: 1, message: 'x' } },
  brokenInputs: [{ file: 'log', lines: 1, message: 'x' }],
};

function tagsOf(html: string): string[] {
  return [...html.matchAll(/<\/?[a-z][\w]*/gi)].map(([tag]) => tag);
}

/** Elements that are not closed, or not in order. */
function openTags(html: string): string[] {
  const open: string[] = [];
  const tags = html.replace(/<style>[^]*<\/style>/, '').matchAll(/<(\/?)([a-z][\w]*)[^>]*?(\/?)>/g);
  for (const [, closing, name, empty] of tags) {
    if (['meta', 'link'].includes(name!) || empty) continue;
    if (!closing) open.push(name!);
    else if (open.pop() !== name) return [`</${name!}>`];
  }
  return open;
}
