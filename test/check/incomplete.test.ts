import { describe, expect, it } from 'vitest';
import { incompleteness, type CheckReport } from '../../src/check/result.js';
import { runChecks } from '../../src/check/run.js';
import { allChecks } from '../../src/check/groups/index.js';
import { analytics } from '../../src/check/senders/analytics.js';
import type { Level } from '../../src/check/options.js';
import { startEndpoint, type Behaviour } from './helpers/endpoint.js';
import { hmac } from './helpers/right-endpoints.js';
import { settingsFor } from './helpers/run-some.js';
import { resultOf } from './report/sample.js';

const open = (id: string, level: Level) => ({
  ...resultOf({ id, level, verdict: 'na', message: `why of ${id}` }),
  isInconclusive: true,
});

describe('a run', () => {
  it.each([
    ['a must is left open', [open('sign.cut', 'must')], 'sign.cut: why of sign.cut'],
    ['one group without musts is left open', [open('http.get', 'should')], undefined],
    [
      'two groups are left open',
      [open('http.get', 'should'), open('order.old-after-new', 'should')],
      'http.get, order.old-after-new: why of http.get',
    ],
    [
      'information is left open',
      [open('http.idle', 'info'), open('sign.case', 'info'), open('http.get', 'should')],
      undefined,
    ],
    [
      'more is left open than a sentence can name',
      [
        open('order.old-after-new', 'should'),
        ...['a', 'b', 'c'].map((name) => open(`sign.${name}`, 'must')),
      ],
      'sign.a, sign.b, sign.c and 1 more: why of sign.a',
    ],
    ['checks do not apply', [resultOf({ id: 'time.old', verdict: 'na' })], undefined],
  ])('says what it could not judge where %s', (_, results, expected) => {
    expect(incompleteness(results)).toBe(expected);
  });
});

describe('an endpoint that answers a forged event', () => {
  async function run(refuse: Behaviour, deadlineMs = 5_000): Promise<CheckReport> {
    const { url } = await startEndpoint((request, response) => {
      const right = hmac('sha1', 'topsecret', request.body);
      return request.message.headers['x-signature'] === right ? 204 : refuse(request, response);
    });
    const chosen = allChecks(analytics).filter(({ id }) =>
      ['accept.track', 'sign.missing'].includes(id),
    );
    const { signal } = new AbortController();
    return runChecks({ checks: chosen, settings: settingsFor(url, { deadlineMs }), signal });
  }

  it.each([
    ['404', () => 404, 'was answered HTTP 404, which says nothing about its signature'],
    ['302', () => 302, 'was answered HTTP 302, which says nothing about its signature'],
    [
      'with a reset',
      ({ message }: Parameters<Behaviour>[0]) => void message.socket.resetAndDestroy(),
      'no response: connection closed before a response',
    ],
    ['with silence', () => undefined, 'no response'],
  ])('%s is not judged, and says why', async (_, refuse, why) => {
    const { incomplete, isConclusive, summary } = await run(refuse, 100);
    expect(isConclusive).toBe(true);
    expect(incomplete).toMatch(/^sign\.missing: an event without a signature/);
    expect(incomplete).toContain(why);
    expect(summary).toMatchObject({ fail: 0, na: 1, score: null });
  });

  it('401 is judged in full', async () => {
    const { incomplete, summary } = await run(() => 401);
    expect([incomplete, summary.score]).toEqual([undefined, 100]);
  });
});

it('a run that ended early says why, whatever its first check met', () => {
  expect(incompleteness([open('sign.cut', 'must')], 'it stopped, from request 9 on')).toBe(
    'sign.cut: it stopped, from request 9 on',
  );
});

it('an endpoint that dies is not judged, and the request is named', async () => {
  const { url, server } = await startEndpoint(({ index }) => {
    if (index === 4) {
      server.close();
      server.closeAllConnections();
    }
    return 204;
  });
  const chosen = allChecks(analytics).filter(({ id }) =>
    /^(accept\.track|tolerate|dup\.again|order)/.test(id),
  );
  const { signal } = new AbortController();
  const report = await runChecks({ checks: chosen, settings: settingsFor(url), signal });
  expect(report).toMatchObject({ isConclusive: true, summary: { score: null } });
  expect(report.incomplete).toMatch(
    /: the endpoint stopped responding: five requests in a row had no response, from request \d+ on$/,
  );
});
