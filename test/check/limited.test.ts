import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/clock.js';
import { checksFor } from '../../src/check/groups/index.js';
import { reportModel } from '../../src/check/report/model.js';
import type { CheckReport } from '../../src/check/result.js';
import { runChecks } from '../../src/check/run.js';
import { selectChecks } from '../../src/check/select.js';
import { startEndpoint, type Arrived } from './helpers/endpoint.js';
import { fastClock } from './helpers/fast-clock.js';
import { hmac } from './helpers/right-endpoints.js';
import { settingsFor } from './helpers/run-some.js';

const isRight = ({ message, body }: Arrived): boolean =>
  message.headers['x-signature'] === hmac('sha1', 'topsecret', body);

/** A receiver behind a limiter of so many requests in each second of the clock. */
function limited(
  perSecond: number,
  clock: Clock,
  answer: (request: Arrived) => number,
): (request: Arrived, response: ServerResponse) => void {
  let second = 0;
  let seen = 0;
  return (request, response) => {
    const now = Math.floor(clock.monotonic() / 1000);
    if (now !== second) seen = 0;
    second = now;
    const status = ++seen <= perSecond ? answer(request) : 429;
    response.writeHead(status, status === 429 ? { 'Retry-After': '1' } : {}).end();
  };
}

async function run(
  behaviour: Parameters<typeof startEndpoint>[0],
  clock: Clock,
  only: readonly string[],
): Promise<CheckReport> {
  const { url } = await startEndpoint(behaviour);
  const settings = settingsFor(url, { rate: 20 });
  const selection = { only, skip: ['http.idle', 'http.slow-body'] };
  const checks = selectChecks(checksFor(settings), selection, 'track');
  return runChecks({ checks, settings, signal: new AbortController().signal, clock });
}

const verdictsOf = ({ results }: CheckReport, verdict: string): string[] =>
  results.filter((result) => result.verdict === verdict).map(({ check }) => check.id);

const groups = ['accept', 'sign', 'time', 'tolerate', 'dup', 'load', 'limit'];

describe('an endpoint with a rate limit', () => {
  it.each([8, 3, 1])('of %d a second is judged in full if it is right', async (perSecond) => {
    const clock = fastClock(20);
    const answer = (request: Arrived): number => (isRight(request) ? 204 : 401);
    const report = await run(limited(perSecond, clock, answer), clock, groups);
    expect(report).toMatchObject({
      isConclusive: true,
      incomplete: undefined,
      summary: { score: 100 },
    });
    expect(reportModel(report).about).toMatch(/slowed down to [\d.]+\/s by its rate limit/);
    expect(verdictsOf(report, 'na')).not.toContain('sign.missing');
    const { message } = report.results.find(({ check }) => check.id === 'limit.429')!;
    expect(message).toMatch(/^HTTP 429 with Retry-After \(\d+\); slowed down to [\d.]+\/s$/);
  });

  it('gets neither the bursts nor the events of which there are others', async () => {
    const clock = fastClock(50);
    const ids: string[] = [];
    const report = await run(
      limited(2, clock, ({ body }) => {
        ids.push((JSON.parse(body.toString()) as { messageId?: string }).messageId ?? '');
        return 204;
      }),
      clock,
      ['accept', 'answer', 'load'],
    );
    const load = report.results.find(({ check }) => check.id === 'load.parallel')!;
    expect(load.message).toBe('the endpoint limits the rate, so no bursts were sent');
    expect(ids.filter((id) => id.includes('answer.deadline'))).toEqual([]);
    const late = report.results.find(({ check }) => check.id === 'answer.deadline')!;
    expect(late.message).toMatch(/^slowest of \d+ events/);
  });

  it('fails if it verifies nothing', async () => {
    const clock = fastClock(20);
    const report = await run(
      limited(3, clock, () => 204),
      clock,
      groups,
    );
    expect(verdictsOf(report, 'fail')).toEqual(
      expect.arrayContaining(['sign.missing', 'sign.wrong-key', 'sign.tampered', 'sign.flipped']),
    );
  });

  it('is not judged if it answers forged events alone like a limiter', async () => {
    const report = await run((request) => (isRight(request) ? 204 : 429), fastClock(50), [
      'accept',
      'sign.missing',
      'sign.cut',
      'load',
    ]);
    expect(verdictsOf(report, 'na')).toEqual(['sign.missing', 'sign.cut']);
    expect(report.summary.score).toBeNull();
    expect(report.incomplete).toBe(
      'sign.missing, sign.cut: an event without a signature was answered HTTP 429, which says nothing about its signature',
    );
  });

  it('is not judged if it stops for good, and names the request', async () => {
    const report = await run(({ index }) => (index < 10 ? 204 : 429), fastClock(100), [
      'accept',
      'tolerate',
      'dup',
    ]);
    expect(report.incomplete).toMatch(
      /: the endpoint limits the rate, and nothing was let through for a minute, from request 11 on$/,
    );
    expect(report.summary.score).toBeNull();
  });
});
