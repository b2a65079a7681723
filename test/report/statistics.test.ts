import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LoggedAttempt } from '../../src/report/attempt-line.js';
import { anyAttempt, attempt, reportOf, start } from './attempts.js';

/** How many of them match. */
const number = (attempts: readonly LoggedAttempt[], is: (one: LoggedAttempt) => boolean) =>
  attempts.filter(is).length;

describe('the statistics of attempts', () => {
  it('agree with counting by hand', () => {
    fc.assert(
      fc.property(fc.array(anyAttempt, { minLength: 1, maxLength: 60 }), (attempts) => {
        const report = reportOf(attempts);
        const firstAttempts = number(attempts, (one) => one.attempt === 1);
        const delivered = number(attempts, (one) => one.verdict === 'delivered');
        const failed = number(attempts, (one) => one.verdict === 'failed');
        expect(report.attempts).toBe(attempts.length);
        expect(report.verdicts).toEqual({
          delivered,
          failed,
          retry: attempts.length - delivered - failed,
        });
        expect(report.firstTries).toBe(firstAttempts);
        expect(report.retries).toBe(attempts.length - firstAttempts);
        const isComplete = firstAttempts > 0 && firstAttempts >= delivered + failed;
        expect(report.unresolved).toBe(isComplete ? firstAttempts - delivered - failed : null);
        if (!isComplete) expect(report.deliveredShare).toBeNull();
        else expect(report.deliveredShare).toBeCloseTo(delivered / firstAttempts, 5);
      }),
    );
  });

  it('add up in every grouping', () => {
    fc.assert(
      fc.property(fc.array(anyAttempt, { minLength: 1, maxLength: 60 }), (attempts) => {
        const { statuses, errors, urls, tries, series } = reportOf(attempts);
        for (const rows of [[...statuses, ...errors], urls, tries, series.buckets]) {
          expect(rows.reduce((sum, row) => sum + row.attempts, 0)).toBe(attempts.length);
          for (const { attempts: all, delivered, retry, failed } of rows) {
            expect(delivered + retry + failed).toBe(all);
          }
        }
        for (const { status, attempts: some } of statuses) {
          expect(some).toBe(number(attempts, (one) => one.status === status));
        }
        for (const { error, attempts: some } of errors) {
          expect(some).toBe(number(attempts, (one) => one.error === error));
        }
        for (const { url, attempts: some, firstTries: firstAttempts } of urls) {
          expect(some).toBe(number(attempts, (one) => one.url === url));
          expect(firstAttempts).toBe(
            number(attempts, (one) => one.url === url && one.attempt === 1),
          );
        }
      }),
    );
  });

  it('last from the beginning of the first attempt to the end of the last', () => {
    const report = reportOf([
      attempt({ at: start + 3_000, durationMs: 100 }),
      attempt({ at: start + 1_000, durationMs: 5_000 }),
    ]);
    expect(report).toMatchObject({
      from: '2026-11-20T08:30:01.000Z',
      to: '2026-11-20T08:30:06.000Z',
      seconds: 5,
      attemptsPerSecond: 0.4,
    });
  });

  it('have no rate if no time has passed', () => {
    expect(reportOf([attempt({ durationMs: 0 })]).attemptsPerSecond).toBeNull();
  });

  it.each(['gone', 'behind', 'timeout', 'refused', 'dns'])(
    'do not count durations without a response: %s',
    (error) => {
      const none = attempt({ status: null, error, verdict: 'retry', durationMs: 5_000 });
      const report = reportOf([none]);
      expect(report.latencyBars).toEqual([]);
      expect(report.urls[0]!.latencyMs.p50).toBeNull();
      expect(report.series.buckets[0]).toMatchObject({ p50: null, p95: null });
      expect(report.latencyMs).toEqual({
        p50: null,
        p90: null,
        p95: null,
        p99: null,
        max: null,
      });
      expect(reportOf([none, attempt()]).latencyMs).toMatchObject({ p50: 12.5, max: 12.5 });
    },
  );

  it('have one example of what was said for each status, with a short body', () => {
    const failed = (status: number, body?: string) =>
      attempt({
        ...{ status, verdict: 'failed' },
        ...(body !== undefined && { response: { headers: {}, body } }),
      });
    const log = [failed(400), failed(400, 'first'), failed(400, 'later'), failed(401), attempt()];
    const { statuses } = reportOf([...log, failed(402, 'x'.repeat(5_000))]);
    const examples = statuses.map(({ status, example }) => [status, example?.body]);
    expect(new Map(examples as [number, string | undefined][])).toEqual(
      new Map([
        [400, 'first'],
        [401, undefined],
        [200, undefined],
        [402, 'x'.repeat(1_024)],
      ]),
    );
  });

  it('list the most frequent first, and attempts by number', () => {
    const report = reportOf([
      attempt({ attempt: 2, status: 503, verdict: 'retry' }),
      attempt(),
      attempt({ attempt: 10 }),
    ]);
    expect(report.statuses.map(({ status }) => status)).toEqual([200, 503]);
    expect(report.tries.map((row) => row.attempt)).toEqual([1, 2, 10]);
  });

  it('name 1,000 URLs, and count the rest as one', () => {
    const many = Array.from({ length: 1_500 }, (_, i) => attempt({ url: `https://${i}.example/` }));
    const { urls } = reportOf(many);
    expect(urls).toHaveLength(1_001);
    expect(urls[0]).toMatchObject({ url: null, attempts: 500, firstTries: 500 });
  });
});
