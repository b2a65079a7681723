import { describe, expect, it } from 'vitest';
import { EndpointWatch } from '../../../src/serve/operations/endpoint-health.js';
import type { AttemptError } from '../../../src/delivery/outcome.js';
import { verdictOfStatus } from '../../../src/delivery/verdict.js';

type Attempt = number | AttemptError;

function reportOf(attempts: readonly Attempt[]) {
  const watch = new EndpointWatch();
  for (const attempt of attempts) {
    watch.add(
      typeof attempt === 'number'
        ? { status: attempt, error: null, verdict: verdictOfStatus(attempt) }
        : { status: null, error: attempt, verdict: 'retry' },
    );
  }
  return watch.report;
}

const ok = (count: number): Attempt[] => Array.from({ length: count }, () => 200);
const fail = (count: number, attempt: Attempt = 500): Attempt[] =>
  Array.from({ length: count }, () => attempt);

describe('an endpoint', () => {
  it.each<[health: string, attempts: Attempt[]]>([
    ['unused', []],
    ['up', [200]],
    ['failing', [500]],
    ['failing', [404, 422]],
    ['failing', [302]],
    ['down', ['refused']],
    ['down', ['dns', 'timeout', 'tls']],
    ['failing', ['timeout', 503]],
    ['failing', [503, 'timeout']],
    ['down', [503, 'refused', 'refused', 'refused']],
    ['gone', [...ok(9), 410]],
    ['up', [410, 200]],
  ])('is %s after %j', (health, attempts) => {
    expect(reportOf(attempts).health).toBe(health);
  });

  it('is not gone where a 410 is to be retried', () => {
    const watch = new EndpointWatch();
    watch.add({ status: 410, error: null, verdict: 'retry' });
    expect(watch.report).toEqual({ health: 'failing', lastStatus: 410, lastError: null });
  });

  it('stays up while a few events of many are refused', () => {
    expect(reportOf([...ok(8), 422, 422]).health).toBe('up');
  });

  it('is failing when more than half of the last ten are refused, whatever was before', () => {
    expect(reportOf([...ok(50), ...fail(5)]).health).toBe('up');
    expect(reportOf([...ok(50), ...fail(6)]).health).toBe('failing');
  });

  it('is down after three attempts without a response, however many were delivered before', () => {
    expect(reportOf([...ok(50), ...fail(2, 'refused')]).health).toBe('up');
    expect(reportOf([...ok(50), ...fail(3, 'refused')]).health).toBe('down');
  });

  it('has recovered after three deliveries in a row', () => {
    expect(reportOf([...fail(50), ...ok(2)]).health).toBe('failing');
    expect(reportOf([...fail(50), ...ok(3)]).health).toBe('up');
  });

  it('tells its last failure, also after a delivery', () => {
    expect(reportOf([])).toMatchObject({ lastStatus: null, lastError: null });
    expect(reportOf([503, 200])).toMatchObject({ lastStatus: 503, lastError: null });
    expect(reportOf([503, 'refused'])).toMatchObject({ lastStatus: null, lastError: 'refused' });
  });

  it('is not judged by what was never sent to it', () => {
    expect(reportOf([200, 'gone', 'behind', 'internal_error', 'gone']).health).toBe('up');
  });
});
