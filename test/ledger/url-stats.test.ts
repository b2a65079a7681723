import { describe, expect, it } from 'vitest';
import type { AttemptResult, EndpointDeliveryState, Outcome } from '../../src/delivery/outcome.js';
import { UrlStats } from '../../src/ledger/url-stats.js';

const [a, b] = ['http://a/hook', 'http://b/hook'];

function attempt(url: string, status: number | null): AttemptResult {
  const isDelivered = status === 200;
  return {
    ...{ url, attempt: 1, at: 0, durationMs: 1, status },
    error: status === null ? 'timeout' : null,
    verdict: isDelivered ? 'delivered' : 'failed',
  };
}

function outcome(...attempts: AttemptResult[]): Outcome {
  return { verdict: 'delivered', messageId: 'm', attempts };
}

describe('the counts of several URLs', () => {
  it('have an event as failed at a URL that did not accept it, whatever others did', () => {
    const stats = new UrlStats([a, b]);
    stats.end(outcome(attempt(a, 200), attempt(b, 500)));
    stats.end(outcome(attempt(b, null), attempt(a, 200)));
    expect(stats.list()).toEqual([
      { url: a, delivered: 2, failed: 0, lastReason: null },
      { url: b, delivered: 0, failed: 2, lastReason: 'timeout' },
    ]);
  });

  it('include what an earlier round has reached', () => {
    const stats = new UrlStats([a, b]);
    const before: EndpointDeliveryState[] = [
      { attempts: 1, firstAt: 0, status: 200, error: null, isDelivered: true },
      { attempts: 1, firstAt: 0, status: 503, error: null, dueAt: 1 },
    ];
    stats.end(outcome(attempt(b, 200)), before);
    stats.end(outcome(), before);
    expect(stats.list()).toEqual([
      { url: a, delivered: 2, failed: 0, lastReason: null },
      { url: b, delivered: 1, failed: 1, lastReason: 'status_503' },
    ]);
  });

  it('are added up for URLs that differ only in their queries, which are not shown', () => {
    const stats = new UrlStats([a, b, b]);
    stats.end(outcome(attempt(a, 200), attempt(b, 200), attempt(b, 410)));
    expect(stats.list()[1]).toEqual({ url: b, delivered: 1, failed: 1, lastReason: 'status_410' });
  });

  it('are not kept for a single URL', () => {
    const stats = new UrlStats([a]);
    stats.end(outcome(attempt(a, 200)));
    expect(stats.list()).toEqual([]);
  });
});
