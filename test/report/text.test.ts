import { Chalk } from 'chalk';
import { describe, expect, it } from 'vitest';
import { reportText } from '../../src/report/text.js';
import { attempt, reportOf, start } from './attempts.js';

const plain = new Chalk({ level: 0 });

describe('the report for people', () => {
  it('is aligned, and leaves out empty blocks', () => {
    const text = reportText(
      reportOf([
        attempt({ durationMs: 20 }),
        attempt({ status: 503, verdict: 'retry', durationMs: 10 }),
        attempt({ at: start + 5_000, attempt: 2, durationMs: 30 }),
        attempt({ status: 404, verdict: 'failed', durationMs: 1_500 }),
        attempt({ status: null, error: 'reset', verdict: 'retry', durationMs: 5 }),
      ]),
      plain,
    );
    expect(text).toBe(`50.0% delivered: 2 deliveries for 4 first attempts
2026-11-20 08:30:00 to 08:30:05 UTC, 5 s

attempts                 5  0.994/s
delivered                2   40.0%
to be retried            2   40.0%
failed                   1   20.0%

first attempts           4
retries                  1
unresolved               1
attempt 1                4   25.0% of them delivered
attempt 2                1    100% of them delivered

200 OK                   2   40.0%
503 Service Unavailable  1   20.0%
404 Not Found            1   20.0%

reset                    1   20.0%

latency  p50 20.1 ms  p90 1.50 s  p95 1.50 s  p99 1.50 s  max 1.50 s

newest failed events
  m1  404 Not Found
send the failed events again: evfwd import DEAD_LETTER_FILE --url 'https://example.com/hook'
DEAD_LETTER_FILE is the file that the import named at its end, by default .evfwd/<name>.dead-letter.ndjson; add the secret and other flags of the import.`);
  });

  it('shows the first line of what the endpoint said, safe to print', () => {
    const response = { headers: {}, body: 'no \u001b[31mplan\nmore' };
    const failed = { messageId: 'm1', status: 400, verdict: 'failed', response } as const;
    const text = reportText(reportOf([attempt(failed)]), plain);
    expect(text).toContain('what the endpoint said\n  400 Bad Request  no ');
    expect(text).toContain('  m1  400 Bad Request  no ');
    expect(text).not.toContain('\u001b');
    expect(text).not.toContain('more');
  });

  it('reports what is known if first attempts are missing', () => {
    const text = reportText(reportOf([attempt({ attempt: 3 })]), plain);
    expect(text).toMatch(/^1 delivered, in 1 attempt\n/);
    expect(text).toMatch(/^unresolved +–$/m);
  });

  it('shows ten of many URLs, safe to print', () => {
    const urls = Array.from({ length: 12 }, (_, i) => attempt({ url: `https://\u001b[31m${i}/` }));
    const text = reportText(reportOf(urls), plain);
    expect(text).toContain('https://\\u001b[31m0/\n  1 attempt: 1 delivered, 0 to be retried');
    expect(text).toMatch(/and 2 more; --json has them all$/);
    expect(text).not.toContain('\u001b');
  });

  it('has colors if they are wanted', () => {
    expect(reportText(reportOf([attempt()]), new Chalk({ level: 1 }))).toContain('\u001b[32m');
  });
});
