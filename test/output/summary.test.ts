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
  skippedBy: { filter: 0, integrations: 0, endpoints: 0, earlier: 0 },
  pending: 0,
  earlier: { delivered: 0, rejected: 0, failed: 0 },
  reasons: [],
  retries: 0,
  bytes: 300_000,
  seconds: 2.34,
  eventsPerSecond: 1423,
  latencyMs: { p50: 1.2, p95: 3.4, p99: 10 },
  deadLetter: null,
  resumed: false,
};

const linesOf = (change: Partial<Summary>): string[] =>
  summaryText({ ...summary, ...change }, plain).split('\n');

describe('the summary of a run', () => {
  it('leaves zeros out, but never what was read and delivered', () => {
    expect(linesOf({ read: 0, delivered: 0 }).slice(0, -1)).toEqual([
      'read       0',
      'delivered  0',
    ]);
  });

  it('names what was sent', () => {
    expect(linesOf({}).at(-1)).toContain(' 1,423 events/s;');
    expect(summaryText(summary, plain, 'request')).toContain(' 1,423 requests/s;');
  });

  it('has the numbers one below the other', () => {
    const skippedBy = { filter: 2, integrations: 0, endpoints: 0, earlier: 0 };
    const full = { rejected: 4, failed: 3, skipped: 2, skippedBy, pending: 1, retries: 12_345 };
    expect(linesOf(full)).toEqual([
      'read        1,000',
      'delivered     990',
      'rejected        4',
      'failed          3',
      'skipped         2  (2 by filters)',
      'pending         1',
      'retries    12,345',
      'in 2.34 s, 1,423 events/s; latency p50 1.20 ms, p95 3.40 ms, p99 10.0 ms',
    ]);
  });

  it('says why events were skipped, and what earlier runs did', () => {
    const skippedBy = { filter: 4, integrations: 1, endpoints: 0, earlier: 1_200 };
    const earlier = { delivered: 1_200, rejected: 0, failed: 0 };
    expect(linesOf({ skipped: 1_205, skippedBy, earlier })).toEqual(
      expect.arrayContaining([
        'skipped    1,205  (4 by filters, 1 by integrations, 1,200 delivered by an earlier run)',
        'earlier runs: 1,200 delivered',
      ]),
    );
    const mixed = { delivered: 1_197, rejected: 1, failed: 2 };
    expect(linesOf({ skipped: 1_205, skippedBy, earlier: mixed })).toEqual(
      expect.arrayContaining([
        expect.stringContaining('1,200 completed by an earlier run'),
        'earlier runs: 1,197 delivered, 1 rejected, 2 failed',
      ]),
    );
  });

  it('has the reasons of failures in words', () => {
    const reasons = [
      { code: 'status_401', count: 1_000 },
      { code: 'timeout', count: 12 },
      { code: 'missing_user', count: 3 },
      { code: 'status_599', count: 2 },
      { code: 'some_new_code', count: 1 },
    ];
    expect(linesOf({ failed: 1_018, reasons }).slice(3, -1)).toEqual([
      '  401 Unauthorized × 1,000',
      '  timed out × 12',
      '  missing userId × 3',
      '  HTTP 599 × 2',
      '  some new code × 1',
    ]);
  });

  it('has the reasons right below what they are of, before skipped and pending events and retries', () => {
    const reasons = [{ code: 'refused', count: 2 }];
    const names = linesOf({ failed: 2, pending: 1, retries: 2, reasons }).map((line) =>
      line.replace(/ +[\d,]+$/, ''),
    );
    expect(names.slice(2, -1)).toEqual(['failed', '  connection refused ×', 'pending', 'retries']);
  });

  it('adds up the reasons after the tenth', () => {
    const reasons = [
      { code: 'other', count: 9 },
      ...Array.from({ length: 13 }, (_, i) => ({ code: `status_${400 + i}`, count: 1 })),
    ];
    const lines = linesOf({ failed: 22, reasons }).slice(3, -1);
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toBe('  other × 12');
  });

  it('has a line for each of several URLs', () => {
    const urls = [
      { url: 'http://a/hook', delivered: 5, failed: 0, lastReason: null },
      { url: 'http://b/hook', delivered: 0, failed: 5, lastReason: 'status_500' },
      { url: 'http://c/hook', delivered: 4, failed: 1, lastReason: 'timeout' },
    ];
    expect(linesOf({ urls }).slice(2, -1)).toEqual([
      'http://a/hook  5 delivered',
      'http://b/hook  0 delivered, 5 failed (HTTP 500)',
      'http://c/hook  4 delivered, 1 failed (timed out)',
    ]);
  });

  it('has no latencies if there was no response', () => {
    const latencyMs = { p50: null, p95: null, p99: null };
    expect(linesOf({ latencyMs, seconds: 75 }).at(-1)).toBe('in 1 min 15 s');
  });

  it('is colored where a number matters, and only there', () => {
    const text = summaryText({ ...summary, failed: 3 }, new Chalk({ level: 1 }));
    expect(text).toContain('\u001b[31m');
    expect(text).toContain('\u001b[32m');
    expect(summaryText({ ...summary, delivered: 0 }, new Chalk({ level: 1 }))).not.toMatch(
      /\u001b\[3[12]m/,
    );
  });
});
