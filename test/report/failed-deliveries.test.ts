import { describe, expect, it } from 'vitest';
import type { LoggedAttempt } from '../../src/report/attempt-line.js';
import { FailedDeliveries, maxFailedDeliveries } from '../../src/report/failed-deliveries.js';
import { attempt } from './attempts.js';

const failed = (changes: Partial<LoggedAttempt> = {}): LoggedAttempt =>
  attempt({ status: 400, verdict: 'failed', messageId: 'm1', ...changes });

function listOf(attempts: readonly LoggedAttempt[]) {
  const list = new FailedDeliveries();
  for (const one of attempts) list.add(one);
  return list.values();
}

describe('the failed deliveries of a log', () => {
  it('are listed newest first, with the first line of the response', () => {
    const response = { headers: {}, body: '\nno plan\n' };
    const values = listOf([failed({ response }), failed({ messageId: 'm2', attempt: 3 })]);
    expect(values).toMatchObject([
      { messageId: 'm2', attempt: 3, status: 400, said: null },
      { messageId: 'm1', attempt: 1, at: '2026-11-20T08:30:00.000Z', said: 'no plan' },
    ]);
  });

  it('are those that no later attempt at their URL delivered', () => {
    const other = 'https://other.example/';
    const later = attempt({ messageId: 'm1' });
    expect(listOf([failed(), later])).toEqual([]);
    expect(listOf([failed(), failed({ url: other }), later])).toMatchObject([{ url: other }]);
  });

  it('are one per event and URL, and none while it is to be retried', () => {
    const retry = attempt({ messageId: 'm3', status: 503, verdict: 'retry' });
    expect(listOf([retry, failed(), failed({ status: 410 })])).toMatchObject([{ status: 410 }]);
  });

  it('are the newest of many, also without a messageId', () => {
    const many = Array.from({ length: maxFailedDeliveries + 20 }, (_, i) => {
      const unnamed: { messageId?: string } & LoggedAttempt = failed({ at: i });
      delete unnamed.messageId;
      return unnamed;
    });
    const values = listOf(many);
    expect(values).toHaveLength(maxFailedDeliveries);
    expect(values[0]).toMatchObject({ messageId: null, at: '1970-01-01T00:00:00.119Z' });
  });
});
