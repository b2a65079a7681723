import { describe, expect, it } from 'vitest';
import { levelOf } from '../../../src/check/check.js';
import { effectCheck, dupChecks } from '../../../src/check/groups/dup.js';
import { orderChecks } from '../../../src/check/groups/order.js';
import { startEndpoint, type Hook } from '../helpers/hook.js';
import { foundBy, evaluate } from '../helpers/evaluate.js';
import { analytics } from '../../../src/check/senders/analytics.js';

const idOf = ({ body }: Hook): string =>
  (JSON.parse(body.toString()) as { messageId: string }).messageId;
const checks = [...dupChecks, ...orderChecks];

describe('repeated events', () => {
  it('are accepted by a receiver that knows them', async () => {
    const seen = new Set<string>();
    const url = await startEndpoint((hook) => {
      seen.add(idOf(hook));
      return 200;
    });
    expect(await foundBy(checks, url)).toEqual({});
    expect(seen.size).toBe(4);
  });

  it.each([409, 500, 400])('fail if they are answered %s', async (status) => {
    const seen = new Set<string>();
    const url = await startEndpoint((hook) => {
      const isNew = !seen.has(idOf(hook));
      seen.add(idOf(hook));
      return isNew ? 200 : status;
    });
    const found = { 'dup.again': 'failed', 'dup.parallel': 'failed' };
    expect(await foundBy(checks, url)).toEqual(found);
  });

  it('fail in parallel alone if a receiver cannot handle two at once', async () => {
    const busy = new Set<string>();
    const done = new Set<string>();
    const url = await startEndpoint(async (hook) => {
      const id = idOf(hook);
      if (done.has(id)) return 200;
      if (busy.has(id)) return 500;
      busy.add(id);
      await new Promise((resolve) => setTimeout(resolve, 100));
      done.add(id);
      return 200;
    });
    expect(await foundBy(checks, url)).toEqual({ 'dup.parallel': 'failed' });
  });

  it('say nothing if the event is not accepted even once', async () => {
    const found = await foundBy(dupChecks.slice(0, 1), await startEndpoint(() => 503));
    expect(found).toEqual({ 'dup.again': 'inconclusive' });
  });

  it('are all the same bytes', async () => {
    const url = await startEndpoint(() => 200);
    const { exchanges } = await evaluate(dupChecks, url);
    const bodies = new Set(exchanges.map(({ request }) => request.body.toString()));
    expect([exchanges.length, bodies.size]).toEqual([8, 2]);
  });
});

describe('an older event after a newer one', () => {
  it('fails if it is refused', async () => {
    let newest = '';
    const url = await startEndpoint(({ body }) => {
      const { timestamp } = JSON.parse(body.toString()) as { timestamp: string };
      if (timestamp < newest) return 422;
      newest = timestamp;
      return 200;
    });
    expect(await foundBy(orderChecks, url)).toEqual({ 'order.old-after-new': 'failed' });
  });
});

describe('dup.effect', () => {
  const check = effectCheck({ stepMs: 5, limitMs: 150, restMs: 20, quietMs: 60 });

  async function evaluateEffect(probe: () => Promise<number>, handle: (hook: Hook) => void) {
    const url = await startEndpoint((hook) => {
      handle(hook);
      return 200;
    });
    const { results } = await evaluate([check], url, { probe });
    return results.get('dup.effect')!;
  }

  /** A receiver that counts events by `keyOf`, after a time. */
  async function counting(keyOf: (hook: Hook, index: number) => string, delayMs = 0) {
    const effects = new Set<string>(['earlier']);
    let index = 0;
    const later = (hook: Hook) => {
      const key = keyOf(hook, index++);
      setTimeout(() => effects.add(key), delayMs);
    };
    return evaluateEffect(() => Promise.resolve(effects.size), later);
  }

  it('passes if the count rises by one', async () => {
    expect(await counting(idOf)).toMatchObject({ outcome: 'passed' });
  });

  it('passes if the work is done in the background', async () => {
    expect(await counting(idOf, 40)).toMatchObject({ outcome: 'passed' });
  });

  it.each([0, 30])('fails if each repeat counts, %i ms later', async (delayMs) => {
    const result = await counting((_, index) => String(index), delayMs);
    expect(result.outcome).toBe('failed');
    expect(result.message).toMatch(/^the count rose by [23] for the same event, expected 1$/);
  });

  it('fails if a repeat counts as long after the event as that took', async () => {
    let requests = 0;
    let counts = 0;
    const slow = effectCheck({ stepMs: 1, limitMs: 60_000, restMs: 0, quietMs: 0 });
    const url = await startEndpoint(() => {
      requests++;
      return 200;
    });
    // It counts nothing, then the event, then a repeat.
    const probe = () => Promise.resolve(requests === 3 ? Math.min(counts++, 2) : 0);
    const { results } = await evaluate([slow], url, { probe });
    expect(results.get('dup.effect')).toMatchObject({
      message: 'the count rose by 2 for the same event, expected 1',
    });
  });

  it('waits until earlier events have had their effects', async () => {
    const seen = new Set<string>();
    let earlier = 0;
    // Each look finds one more, until there are four.
    const result = await evaluateEffect(
      () => Promise.resolve((earlier = Math.min(earlier + 1, 4)) + seen.size),
      (hook) => seen.add(idOf(hook)),
    );
    expect(result.outcome).toBe('passed');
  });

  it('fails if nothing is counted', async () => {
    const result = await evaluateEffect(
      () => Promise.resolve(7),
      () => undefined,
    );
    expect(result).toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining('did not rise within 0.15 s'),
    });
  });

  it('cannot be judged if the probe fails', async () => {
    const result = await evaluateEffect(
      () => Promise.reject(new Error('the probe ended with exit code 1')),
      () => undefined,
    );
    expect(result).toMatchObject({
      outcome: 'notApplicable',
      message: 'the probe ended with exit code 1',
    });
  });

  it('cannot be judged if the count changes by itself', async () => {
    let count = 0;
    const result = await evaluateEffect(
      () => Promise.resolve(count++),
      () => undefined,
    );
    expect(result.outcome).toBe('notApplicable');
  });

  it('is information without a probe, and sends nothing', async () => {
    const { results, exchanges } = await evaluate([check], 'http://127.0.0.1:1/');
    expect(results.get('dup.effect')?.message).toMatch('cannot be seen from outside');
    expect(exchanges).toEqual([]);
    const settings = { url: new URL('http://127.0.0.1:1/'), headers: [], ca: [], deadlineMs: 1 };
    const given = { ...settings, sender: analytics, rate: 1, isStrict: false };
    expect(levelOf(check, given)).toBe('info');
    expect(levelOf(check, { ...given, probe: () => Promise.resolve(1) })).toBe('must');
  });
});
