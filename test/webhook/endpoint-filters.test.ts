import { describe, expect, it } from 'vitest';
import type { EndpointDeliveryState, Outcome } from '../../src/delivery/outcome.js';
import type { Event } from '../../src/events/event.js';
import { eventFrom } from '../../src/events/given.js';
import type { EndpointFilter } from '../../src/webhook/endpoint.js';
import { EndpointFilters, whyNobody } from '../../src/webhook/endpoint-filters.js';
import type { WebhookTargetOptions } from '../../src/webhook/target.js';
import { reply, startRawServer, type RawAnswer } from '../helpers/raw-server.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { attemptsOf, webhooks } from '../helpers/webhooks.js';

const order = {
  ...{ type: 'track', userId: 'u1', event: 'Order Completed', messageId: 'm1' },
  properties: { total: 120 },
};
const identify = { type: 'identify', userId: 'u1', messageId: 'm2' };

const eventOf = (value: object): Event => eventFrom(value) as Event;

describe('the filters of endpoints', () => {
  it('are none where every endpoint wants all events', () => {
    expect(EndpointFilters.of([{}, { where: [] }])).toBeUndefined();
  });

  it.each<[string, EndpointFilter[], object, number]>([
    ['types', [{ types: ['track'] }, { types: ['identify', 'page'] }], order, 0b01],
    ['names, with patterns', [{ events: ['Order *'] }, { events: ['Cart *'] }], order, 0b01],
    ['names, which no other type has', [{ events: ['*'] }, {}], identify, 0b10],
    ['conditions', [{ where: ['properties.total>=100'] }, { where: ['!userId'] }], order, 0b01],
    [
      'all of several conditions',
      [{ where: ['userId=u1', 'properties.total<100'] }, { where: ['userId=u1'] }],
      order,
      0b10,
    ],
    ['nothing', [{ types: ['page'] }, { types: ['alias'] }], order, 0],
  ])('choose by %s', (_what, filters, event, wanted) => {
    expect(EndpointFilters.of(filters)!.wantedBy(eventOf(event))).toBe(wanted);
  });

  it('say why an endpoint does not want an event', () => {
    const filters = EndpointFilters.of([
      { types: ['page', 'screen'] },
      { events: ['Cart *'] },
      { types: ['track'], where: ['userId=u1', 'properties.total>=500'] },
      { types: ['track'] },
    ])!;
    const reasons = [0, 1, 2, 3].map((index) => filters.whyNot(eventOf(order), index));
    expect(reasons).toEqual([
      'its types are page, screen',
      'its events are Cart *',
      'its condition properties.total>=500 does not hold',
      undefined,
    ]);
  });

  it('name the URLs of several endpoints without their queries', () => {
    const endpoints = [{ url: 'http://a/?key=1' }, { url: 'http://b/' }];
    const filters = EndpointFilters.of([{ types: ['page'] }, { events: ['Cart'] }])!;
    expect(whyNobody(filters, endpoints, eventOf(order))).toBe(
      'http://a/: its types are page; http://b/: its events are Cart',
    );
  });
});

const ok = reply(200);
const down = reply(503);

/** A target of servers with these answers, the last of which repeats, and these filters. */
async function scene(
  parts: readonly (readonly [EndpointFilter, ...RawAnswer[]])[],
  options: Partial<WebhookTargetOptions> = {},
) {
  const clock = new VirtualClock();
  const servers = await Promise.all(
    parts.map(([, ...answers]) =>
      startRawServer({ response: (_, i) => answers[Math.min(i, answers.length - 1)] }),
    ),
  );
  const endpoints = servers.map(({ url }, i) => ({ url, ...parts[i]![0] }));
  const target = webhooks([], {
    clock,
    retryWindowMs: 60_000,
    random: () => 0.5,
    ...options,
    endpoints,
  });
  const send = (
    value: object,
    endpointDeliveries?: readonly EndpointDeliveryState[],
  ): Promise<Outcome> => {
    const stamp = { messageId: 'm1', writesMessageId: false };
    const outgoing = {
      event: eventOf(value),
      stamp,
      ...(endpointDeliveries && { endpointDeliveries }),
    };
    return new Promise((resolve) => target.send(outgoing, resolve));
  };
  return { clock, target, send, counts: () => servers.map(({ requests }) => requests.length) };
}

describe('a target whose endpoints want some events', () => {
  it('sends each event to those that want it', async () => {
    const { send, counts } = await scene([
      [{ types: ['track'] }, ok],
      [{ types: ['identify'] }, ok],
      [{}, ok],
    ]);
    for (const event of [order, order, identify]) {
      expect((await send(event)).verdict).toBe('delivered');
    }
    expect(counts()).toEqual([2, 1, 3]);
  });

  it('skips what none of them wants, with a code of its own, and sends nothing', async () => {
    const { send, counts } = await scene([
      [{ types: ['page'] }, ok],
      [{ events: ['Cart *'] }, ok],
    ]);
    expect(await send(order)).toMatchObject({
      verdict: 'skipped',
      code: 'not_wanted',
      attempts: [],
    });
    expect(counts()).toEqual([0, 0]);
  });

  it('is not delivered by an endpoint that does not want the event', async () => {
    const { send, counts } = await scene(
      [
        [{ types: ['track'] }, reply(404)],
        [{ types: ['identify'] }, ok],
      ],
      { retryWindowMs: 0 },
    );
    const outcome = await send(order);
    expect([outcome.verdict, outcome.code]).toEqual(['failed', 'status_404']);
    expect(counts()).toEqual([1, 0]);
  });

  it('needs all that want the event with allUrls, and no others', async () => {
    const parts = [
      [{ types: ['track'] }, ok],
      [{ types: ['track', 'page'] }, ok],
      [{ types: ['identify'] }, reply(404)],
    ] as const;
    const { send } = await scene(parts, { allUrls: true, retryWindowMs: 0 });
    expect((await send(order)).verdict).toBe('delivered');
    expect((await send(identify)).verdict).toBe('failed');
  });

  it('hands back a state for each URL at its place, and goes on with the same ones', async () => {
    const { clock, send, counts } = await scene(
      [
        [{ types: ['page'] }, ok],
        [{ types: ['track'] }, down, ok],
        [{ types: ['track'] }, ok],
      ],
      { returnsRetries: true, allUrls: true },
    );
    const { retry, verdict } = await send(order);
    expect(verdict).toBe('pending');
    const states = retry!.endpointDeliveries;
    expect(states.map(({ attempts, isDelivered }) => [attempts, isDelivered])).toEqual([
      [0, undefined],
      [1, undefined],
      [1, true],
    ]);
    clock.advance(retry!.dueAt - clock.now());
    const stored = JSON.parse(JSON.stringify(states)) as EndpointDeliveryState[];
    const outcome = await send(order, stored);
    expect([outcome.verdict, attemptsOf(outcome)]).toEqual(['delivered', ['200: delivered']]);
    expect(counts()).toEqual([0, 2, 1]);
  });

  it('is not held up by the URL that an event is not for', async () => {
    const { send, counts } = await scene(
      [
        [{ types: ['identify'] }, ...Array.from({ length: 30 }, () => down)],
        [{ types: ['track'] }, ok],
      ],
      { returnsRetries: true },
    );
    for (let i = 0; i < 30; i++) await send(identify);
    expect((await send(order)).verdict).toBe('delivered');
    expect(counts()[1]).toBe(1);
  });
});
