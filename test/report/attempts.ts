import fc from 'fast-check';
import type { LoggedAttempt } from '../../src/report/attempt-line.js';
import type { Report } from '../../src/report/report.js';
import { Statistics } from '../../src/report/statistics.js';

export const start = Date.parse('2026-11-20T08:30:00.000Z');

/** A first attempt that was delivered, with these changes. */
export function attempt(changes: Partial<LoggedAttempt> = {}): LoggedAttempt {
  return {
    at: start,
    messageId: 'm1',
    url: 'https://example.com/hook',
    attempt: 1,
    status: 200,
    error: null,
    verdict: 'delivered',
    durationMs: 12.5,
    ...changes,
  };
}

/** Its line in a log. */
export function lineOf({ at, ...rest }: LoggedAttempt): string {
  return JSON.stringify({ type: 'attempt', at: new Date(at).toISOString(), ...rest });
}

export function reportOf(attempts: readonly LoggedAttempt[]): Report {
  const statistics = new Statistics();
  for (const one of attempts) statistics.add(one);
  const none = { count: 0, first: null };
  const reading = { files: ['log.ndjson'], lines: attempts.length, other: none, broken: none };
  return statistics.report({ ...reading, brokenInputs: [] });
}

const responses = fc.oneof(
  fc.constantFrom(200, 204, 404, 410, 429, 503).map((status) => ({ status, error: null })),
  fc.constantFrom('timeout', 'reset', 'gone').map((error) => ({ status: null, error })),
);

export const anyAttempt: fc.Arbitrary<LoggedAttempt> = fc
  .record({
    at: fc.oneof(
      fc.integer({ min: start, max: start + 5_000 }),
      fc.integer({ min: 0, max: 4_102_444_800_000 }),
    ),
    url: fc.constantFrom('https://a.example/', 'https://b.example/hook', 'http://localhost:1/'),
    attempt: fc.integer({ min: 1, max: 5 }),
    verdict: fc.constantFrom('delivered', 'retry', 'failed'),
    durationMs: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 100_000, noNaN: true })),
    response: responses,
  })
  .map(({ response, ...rest }) => ({ ...rest, ...response }));
