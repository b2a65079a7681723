import { Chalk } from 'chalk';
import { describe, expect, it } from 'vitest';
import type { Summary } from '../../src/ledger/summary.js';
import { summaryText } from '../../src/output/summary.js';

const plain = new Chalk({ level: 0 });

const summary: Summary = {
  read: 1000,
  delivered: 990,
  rejected: 0,
  failed: 0,
  skipped: 0,
  pending: 0,
  retries: 0,
  bytes: 300_000,
  seconds: 2.34,
  eventsPerSecond: 1423,
  latencyMs: { p50: 1.2, p95: 3.4, p99: 10 },
  deadLetter: null,
  resumed: false,
};

describe('the summary of a run', () => {
  it('leaves zeros out, but never what was read and delivered', () => {
    expect(
      summaryText({ ...summary, read: 0, delivered: 0 }, plain)
        .split('\n')
        .slice(0, -1),
    ).toEqual(['read       0', 'delivered  0']);
  });

  it('has the numbers one below the other', () => {
    const full = { rejected: 4, failed: 3, skipped: 2, pending: 1, retries: 12_345 };
    expect(summaryText({ ...summary, ...full }, plain)).toBe(
      [
        'read        1,000',
        'delivered     990',
        'rejected        4',
        'failed          3',
        'skipped         2',
        'pending         1',
        'retries    12,345',
        'in 2.3 s, 1,423 events/s; latency p50 1.2 ms, p95 3.4 ms, p99 10 ms',
      ].join('\n'),
    );
  });

  it('has no latencies if nothing was sent', () => {
    const latencyMs = { p50: null, p95: null, p99: null };
    expect(summaryText({ ...summary, latencyMs, seconds: 75 }, plain)).toMatch(/\nin 1 min 15 s$/);
  });

  it('is coloured where a number matters, and only there', () => {
    const text = summaryText({ ...summary, failed: 3 }, new Chalk({ level: 1 }));
    expect(text).toContain('\u001b[31m');
    expect(text).toContain('\u001b[32m');
    expect(summaryText({ ...summary, delivered: 0 }, new Chalk({ level: 1 }))).not.toMatch(
      /\u001b\[3[12]m/,
    );
  });
});
