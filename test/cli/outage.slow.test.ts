import { afterEach, describe, expect, it } from 'vitest';
import { failuresUntilDown } from '../../src/delivery/circuit-breaker.js';
import { folderWith } from '../helpers/folder.js';
import { deadLines, events, runImport, summaryOf, Witness } from '../helpers/process.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';

let receiver: Receiver;
afterEach(() => receiver.close());

const concurrency = 64;

describe('evfwd import at an endpoint that is down', () => {
  it.each([
    ['answers 503', 503, []],
    ['does not answer', undefined, ['--timeout', '300ms']],
  ])('asks seldom and loses nothing when it %s for a while', async (_what, status, more) => {
    const count = 3_000;
    const witness = new Witness();
    let isDown = false;
    let failed = 0;
    receiver = await startReceiver(
      witness.responding((_numbers, index) => {
        if (index === 1_000) {
          isDown = true;
          setTimeout(() => (isDown = false), 2_000);
        }
        if (isDown) failed++;
        return isDown ? status : 200;
      }),
    );
    const cwd = folderWith({ e: events(count) });
    const result = await runImport(
      ['e', '--url', receiver.url, '--retry-window', '30s', ...more],
      cwd,
    );
    expect(result.code).toBe(0);
    expect(result.stderr).toMatch(/unreachable \(.+\); probing once per second until it recovers/);
    expect(result.stderr).toContain('reachable again');
    expect(summaryOf(result)).toMatchObject({ read: count, delivered: count, pending: 0 });
    expect(summaryOf(result).retries).toBeGreaterThanOrEqual(failuresUntilDown);
    expect(witness.missing(count)).toEqual([]);
    // As many as are in flight when that is seen, and the probes of 2 s.
    expect(failed).toBeLessThanOrEqual(failuresUntilDown + concurrency + 20);
  });

  it('gives up all events while it stays down, and delivers them from the dead letters afterwards', async () => {
    const count = 1_000;
    const witness = new Witness();
    let status = 503;
    receiver = await startReceiver((request, index) => {
      const response = witness.responding(() => status)(request, index);
      return { status: response!.status! };
    });
    const cwd = folderWith({ e: events(count) });
    const dead = await runImport(['e', '--url', receiver.url, '--retry-window', '1s'], cwd);
    expect(dead.code).toBe(3);
    const summary = summaryOf(dead);
    expect(summary).toMatchObject({ read: count, delivered: 0, failed: count, pending: 0 });
    expect(deadLines(summary, cwd)).toEqual(Array.from({ length: count }, (_, n) => n + 1));
    status = 200;
    const again = await runImport([summary.deadLetter!, '--url', receiver.url], cwd);
    expect(again.code).toBe(0);
    expect(summaryOf(again)).toMatchObject({ read: count, delivered: count });
    expect(witness.missing(count)).toEqual([]);
    expect([...witness.bodies.values()].every(({ size }) => size === 1)).toBe(true);
  });
});
