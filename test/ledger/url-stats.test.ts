import { describe, expect, it } from 'vitest';
import type { AttemptResult, Outcome } from '../../src/delivery/outcome.js';
import { UrlStats } from '../../src/ledger/url-stats.js';

function attempt(url: string, status: number): AttemptResult {
  const verdict = status === 200 ? 'delivered' : 'failed';
  return { url, attempt: 1, at: 0, durationMs: 1, status, error: null, verdict };
}

const outcome = (attempts: readonly AttemptResult[], wanted?: number): Outcome => ({
  ...{ verdict: 'delivered', messageId: 'm', attempts },
  ...(wanted !== undefined && { wanted }),
});

describe('the counts of URLs', () => {
  it('are of the events that each wants', () => {
    const stats = new UrlStats(['a', 'b']);
    stats.end(outcome([attempt('a', 200), attempt('b', 404)]));
    stats.end(outcome([attempt('a', 200)], 0b01));
    stats.end(outcome([attempt('b', 200)], 0b10));
    expect(stats.list()).toEqual([
      { url: 'a', delivered: 2, failed: 0, lastReason: null },
      { url: 'b', delivered: 1, failed: 1, lastReason: 'status_404' },
    ]);
  });

  it('are of all endpoints at a URL that want an event', () => {
    const stats = new UrlStats(['a', 'a', 'b']);
    stats.end(outcome([attempt('a', 200), attempt('b', 200)], 0b101));
    expect(stats.list().map(({ delivered, failed }) => [delivered, failed])).toEqual([
      [1, 0],
      [1, 0],
    ]);
  });
});
