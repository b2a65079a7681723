import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { AttemptResult, Outcome } from '../../src/delivery/outcome.js';
import { reply, startRawServer } from '../helpers/raw-server.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { someEvent, attemptsOf, webhooks } from '../helpers/webhooks.js';

const silent = { response: () => undefined };

async function besideHanging(options: { allUrls?: boolean; reportsAtOnce?: boolean } = {}) {
  const [taking, hanging] = await Promise.all([startRawServer(), startRawServer(silent)]);
  const told: AttemptResult[] = [];
  const destination = webhooks([hanging.url, taking.url], {
    clock: new VirtualClock(),
    timeoutMs: 3_600_000,
    concurrency: 4,
    onAttempt: (result) => told.push(result),
    ...options,
  });
  return { taking, hanging, destination, told };
}

describe('beside a URL that hangs', () => {
  it('the others get events at their own rate, far beyond what may be in flight', async () => {
    const { taking, hanging, destination } = await besideHanging();
    for (let i = 0; i < 300; i++) void destination.deliver({ ...someEvent, messageId: `m${i}` });
    await taking.arrived(300);
    expect(hanging.requests.length).toBe(4);
  });

  it('an event that was taken is told at once where that is asked for', async () => {
    const { hanging, destination } = await besideHanging({ reportsAtOnce: true });
    const outcome = await destination.deliver(someEvent);
    expect([outcome.verdict, attemptsOf(outcome)]).toEqual(['delivered', ['200: delivered']]);
    await hanging.arrived(1);
    await destination.close();
    expect(attemptsOf(outcome)).toEqual(['200: delivered', 'reset: retry']);
  });

  it('what it would be too far behind with is given up for it alone, and told so', async () => {
    const { taking, hanging, destination, told } = await besideHanging();
    const bound = 512;
    const ended: Outcome[] = [];
    const count = bound + 4 + 20;
    for (let i = 0; i < count; i++) {
      void destination
        .deliver({ ...someEvent, messageId: `m${i}` })
        .then((outcome) => ended.push(outcome));
    }
    await taking.arrived(count);
    while (ended.length < 20 - 4) await new Promise((resolve) => setImmediate(resolve));
    expect(ended.every(({ verdict }) => verdict === 'delivered')).toBe(true);
    expect(attemptsOf(ended[0]!)).toEqual(['200: delivered', 'behind: failed']);
    const behind = told.filter(({ error }) => error === 'behind');
    expect(behind.length).toBe(ended.length);
    expect(new Set(behind.map(({ url }) => url))).toEqual(new Set([hanging.url]));
  });

  it.each([
    ['when it is due, where the other URL is up again', 15, 10_000],
    ['as a probe, where it was down', 20, 2_000],
  ])(
    'what one URL has failed is sent to it again %s, while all places wait for the slow one',
    async (_what, failures, ms) => {
      const slow = await startRawServer(silent);
      let asked = 0;
      const back = await startRawServer({
        response: () => reply(++asked <= failures ? 503 : 200),
      });
      const clock = new VirtualClock();
      const destination = webhooks([slow.url, back.url], {
        ...{ clock, returnsRetries: true, concurrency: 20, retryWindowMs: 3_600_000 },
        ...{ timeoutMs: 3_600_000, random: () => 0.5 },
      });
      for (let i = 0; i < 100; i++) void destination.deliver({ ...someEvent, messageId: `m${i}` });
      for (let passed = 0; passed < ms; passed += 100) {
        clock.advance(100);
        for (let turn = 0; turn < 12; turn++) await nextTurn();
      }
      const accepted = back.requests.slice(failures).map(({ body }) => String(body));
      expect(new Set(accepted).size).toBeGreaterThanOrEqual(failures === 15 ? 100 : 80);
      expect(slow.requests.length).toBe(16);
    },
  );

  it('nothing is given up where every URL must take it', async () => {
    const { taking, destination } = await besideHanging({ allUrls: true });
    for (let i = 0; i < 10; i++) void destination.deliver(someEvent);
    await taking.arrived(4);
    expect(destination.room()).toBeInstanceOf(Promise);
  });

  it('draining waits for the attempts in flight', async () => {
    const held: (() => void)[] = [];
    const slow = await startRawServer({
      response: () => (socket) => held.push(() => socket.write(reply(200))),
    });
    const taking = await startRawServer();
    const destination = webhooks([slow.url, taking.url], { reportsAtOnce: true });
    const outcome = await destination.deliver(someEvent);
    let isDrained = false;
    const drained = destination.drain().then(() => (isDrained = true));
    await slow.arrived(1);
    expect([isDrained, outcome.attempts.length]).toEqual([false, 1]);
    held[0]!();
    await drained;
    expect(attemptsOf(outcome)).toEqual(['200: delivered', '200: delivered']);
  });

  it('an event that no URL has taken still waits for those that may', async () => {
    const [refusing, hanging] = await Promise.all([
      startRawServer({ response: () => reply(404) }),
      startRawServer(silent),
    ]);
    const destination = webhooks([refusing.url, hanging.url], {
      reportsAtOnce: true,
      timeoutMs: 300,
    });
    const outcome = await destination.deliver(someEvent);
    expect(outcome).toMatchObject({ verdict: 'failed', code: 'timeout' });
  });
});
