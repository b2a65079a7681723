import { afterEach, describe, expect, it } from 'vitest';
import { CollectorTarget } from '../../src/collector/target.js';
import type { EndpointDeliveryState, Outcome } from '../../src/delivery/outcome.js';
import { eventOf } from '../helpers/events.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { startCollector, type Answer, type Collector } from './server.js';

const second = 1_000;
const open: (Collector | CollectorTarget)[] = [];

afterEach(async () => {
  await Promise.all(
    open
      .splice(0)
      .reverse()
      .map((one) => one.close()),
  );
});

async function scene(response: (request: number) => Answer | Promise<Answer>) {
  const collector = await startCollector(response);
  const clock = new VirtualClock();
  const tried: [string, number][] = [];
  const target = new CollectorTarget({
    ...{ writeKey: 'key', endpoint: collector.url, clock, random: () => 0.5, returnsRetries: true },
    ...{ retryWindowMs: 1_000 * second, concurrency: 1 },
    onAttempt: ({ attempt }, messageId) => tried.push([messageId, attempt]),
  });
  open.push(collector, target);
  const outcomes: Record<string, Outcome> = {};
  const send = (messageId: string, endpointDelivery?: EndpointDeliveryState): void => {
    const event = eventOf({ messageId, timestamp: '2026-11-20T08:30:00Z' });
    const stamp = { messageId, writesMessageId: false };
    target.send(
      { event, stamp, ...(endpointDelivery && { endpointDeliveries: [endpointDelivery] }) },
      (o) => (outcomes[messageId] = o),
    );
  };
  return { collector, clock, target, tried, outcomes, send };
}

function attemptedOnce(
  attempts: number,
  agoMs: number,
  clock: VirtualClock,
): EndpointDeliveryState {
  const now = clock.now();
  return { attempts, firstAt: now - agoMs, status: 503, error: null, dueAt: now };
}

describe('a batch that is posted once', () => {
  it('gives each of its messages the outcome that its own history asks for', async () => {
    const { collector, clock, target, tried, outcomes, send } = await scene(() => 503);
    send('new');
    send('third', attemptedOnce(2, 30 * second, clock));
    send('last', attemptedOnce(9, 999 * second, clock));
    send('late', attemptedOnce(9, 1_001 * second, clock));
    await target.drain();
    const due = (id: string) => (outcomes[id]!.retry!.dueAt - clock.now()) / second;
    expect([due('new'), due('third')]).toEqual([5, 45]);
    expect(outcomes).toMatchObject({
      new: { verdict: 'pending', attemptCount: 1 },
      third: {
        verdict: 'pending',
        attemptCount: 3,
        retry: { endpointDeliveries: [{ attempts: 3, status: 503 }] },
      },
      last: { verdict: 'failed', code: 'status_503', attemptCount: 10 },
      late: { verdict: 'failed', code: 'status_503', attemptCount: 9, attempts: [] },
    });
    expect(outcomes.third!.retry!.endpointDeliveries[0]!.firstAt).toBe(clock.now() - 30 * second);
    expect(tried).toEqual([
      ['new', 1],
      ['third', 3],
      ['last', 10],
    ]);
    expect(collector.calls().map(({ messageId }) => messageId)).toEqual(['new', 'third', 'last']);
    expect(clock.waits).toEqual([]);
  });

  it.each<[Answer, Partial<Outcome>]>([
    [200, { verdict: 'delivered' }],
    [404, { verdict: 'failed', code: 'status_404' }],
    [410, { verdict: 'failed', code: 'status_410' }],
  ])('ends all of them with %j', async (response, outcome) => {
    const { clock, target, outcomes, send } = await scene(() => response);
    send('new');
    send('old', attemptedOnce(2, 30 * second, clock));
    await target.drain();
    expect(outcomes).toMatchObject({
      new: { ...outcome, attemptCount: 1 },
      old: { ...outcome, attemptCount: 3 },
    });
    expect([outcomes.new!.retry, outcomes.old!.retry]).toEqual([undefined, undefined]);
  });

  it('heeds Retry-After to the second', async () => {
    const { clock, target, outcomes, send } = await scene(() => ({
      ...{ status: 429, headers: { 'retry-after': '77' } },
    }));
    send('m');
    await target.drain();
    expect(outcomes.m!.retry!.dueAt - clock.now()).toBe(77 * second);
  });

  it('is left as it was at an interruption, unless it is in flight', async () => {
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    const { collector, clock, target, outcomes, send } = await scene(() => held.then(() => 503));
    send('in flight');
    const drained = [target.drain()];
    send('queued', attemptedOnce(2, 30 * second, clock));
    drained.push(target.drain());
    send('gathered', attemptedOnce(2, 30 * second, clock));
    await collector.arrived(1);
    target.interrupt();
    const unsent = { verdict: 'pending', code: 'interrupted', attempts: [] };
    expect(outcomes).toMatchObject({ queued: unsent, gathered: unsent });
    expect([outcomes.queued!.retry, outcomes.gathered!.retry]).toEqual([undefined, undefined]);
    release();
    await Promise.all(drained);
    expect(outcomes['in flight']).toMatchObject({
      verdict: 'pending',
      retry: { endpointDeliveries: [{}] },
    });
    expect(collector.received.length).toBe(1);
    expect(clock.waits).toEqual([]);
  });

  it('hands back unsent what comes in a pause, which ends before the last attempt of a message', async () => {
    const pause = { status: 429, headers: { 'retry-after': '600' } };
    const { collector, clock, target, outcomes, send } = await scene(() => pause);
    send('first');
    await target.drain();
    const dueIn = (id: string) => (outcomes[id]!.retry!.dueAt - clock.now()) / second;
    send('new');
    expect([outcomes.new!.verdict, dueIn('new')]).toEqual(['pending', 600]);
    send('old', attemptedOnce(3, 500 * second, clock));
    expect([outcomes.old!.verdict, dueIn('old')]).toEqual(['pending', 499]);
    expect(target.isUnavailable).toBe(true);
    clock.advance(499 * second);
    expect([target.isUnavailable, collector.received.length]).toEqual([false, 1]);
  });
});
