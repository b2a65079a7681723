import { afterEach, describe, expect, it } from 'vitest';
import type { ClientOptions } from '../../src/collector/client-options.js';
import { Client } from '../../src/collector/client.js';
import type { MessageOutcome } from '../../src/delivery/public-outcome.js';
import { EvfwdError, QueueFullError, UsageError, ValidationError } from '../../src/errors.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { startCollector, type Answer, type Collector } from './server.js';

const open: Collector[] = [];
const clients: Client[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await Promise.all(open.splice(0).map((collector) => collector.close()));
});

interface Scene {
  readonly collector: Collector;
  readonly client: Client;
  readonly clock: VirtualClock;
  readonly finalStatuses: [finalStatus: string, messageId: string, code: string | undefined][];
}

async function scene(
  response?: (request: number) => Answer | Promise<Answer>,
  options: Partial<ClientOptions> = {},
): Promise<Scene> {
  const collector = await startCollector(response);
  open.push(collector);
  const clock = new VirtualClock();
  const client = new Client('key', {
    ...{ endpoint: collector.url, clock, random: () => 0.5 },
    ...options,
  });
  clients.push(client);
  const finalStatuses: Scene['finalStatuses'] = [];
  const note = (finalStatus: string) => (outcome: MessageOutcome) => {
    const code = outcome.verdict === 'failed' ? outcome.code : undefined;
    finalStatuses.push([finalStatus, outcome.messageId, code]);
  };
  client.on('delivered', note('delivered')).on('failed', note('failed'));
  return { collector, client, clock, finalStatuses };
}

function track(client: Client, count: number): string[] {
  return Array.from({ length: count }, (_, i) => client.track({ userId: 'u', event: `e${i}` }));
}

describe('calls of a client', () => {
  it('arrive with their type, their fields and the messageId that was returned', async () => {
    const { client, collector, finalStatuses } = await scene();
    const user = { userId: 'u', timestamp: '2026-11-20T08:30:00.000Z' };
    const calls = [
      {
        ...user,
        messageId: client.identify({ ...user, traits: { plan: 'pro' } }),
        type: 'identify',
        traits: { plan: 'pro' },
      },
      { ...user, messageId: client.track({ ...user, event: 'e' }), type: 'track', event: 'e' },
      { ...user, messageId: client.page({ ...user, name: 'Home' }), type: 'page', name: 'Home' },
      {
        ...user,
        messageId: client.screen({ ...user, name: 'Home' }),
        type: 'screen',
        name: 'Home',
      },
      { ...user, messageId: client.group({ ...user, groupId: 1 }), type: 'group', groupId: 1 },
      {
        ...user,
        messageId: client.alias({ ...user, previousId: 'p' }),
        type: 'alias',
        previousId: 'p',
      },
    ];
    await client.flush();
    expect(collector.calls()).toEqual(calls);
    expect(collector.received[0]!.headers.authorization).toBe('Basic a2V5Og==');
    expect(finalStatuses).toEqual(
      calls.map(({ messageId }) => ['delivered', messageId, undefined]),
    );
  });

  it('are refused at once when they break a rule, and nothing is queued', async () => {
    const { client } = await scene();
    expect(() => client.track({ event: 'e' })).toThrow(ValidationError);
    expect(await client.close()).toEqual({ delivered: 0, failed: 0 });
  });

  it('are refused when the queue is full, until something is settled', async () => {
    const { client } = await scene(undefined, { maxQueue: 3 });
    track(client, 3);
    expect(() => track(client, 1)).toThrow(QueueFullError);
    await client.flush();
    track(client, 3);
    expect(await client.close()).toEqual({ delivered: 6, failed: 0 });
  });
});

describe('batches of a client', () => {
  it.each<[Partial<ClientOptions>, number, number[]]>([
    [{}, 45, [20, 20]],
    [{ flushAt: 7 }, 15, [7, 7]],
    [{ size: 7 }, 15, [7, 7]],
    [{ size: 7, flushAt: 7 }, 15, [7, 7]],
    [{ flushAt: 1 }, 3, [1, 1, 1]],
  ])(
    'with %j and %i calls have %j of them before any time has passed',
    async (options, count, sizes) => {
      const { client, collector } = await scene(undefined, { ...options, maxInFlight: 1 });
      track(client, count);
      await collector.arrived(sizes.length);
      expect(
        collector.received.map(({ body }) => JSON.parse(body.toString()).batch.length),
      ).toEqual(sizes);
    },
  );

  it('go out flushAfter the first call, then flushAfter the last flush', async () => {
    const { client, collector, clock } = await scene(undefined, { flushAfter: 5_000 });
    track(client, 2);
    clock.advance(4_999);
    track(client, 1);
    expect(clock.waits).toEqual([1]);
    clock.advance(1);
    await client.flush();
    expect(collector.calls().length).toBe(3);
    clock.advance(2_000);
    track(client, 1);
    expect(clock.waits).toEqual([3_000]);
    clock.advance(3_000);
    await client.flush();
    clock.advance(60_000);
    track(client, 1);
    expect(clock.waits).toEqual([5_000]);
  });

  it('are sent again with the same bytes after a temporary failure', async () => {
    const { client, collector, clock, finalStatuses } = await scene((n) => (n < 2 ? 503 : 200));
    const ids = track(client, 20);
    await clock.timers(1);
    expect(clock.waits).toEqual([500]);
    clock.advance(500);
    await collector.arrived(2);
    await clock.timers(1);
    expect(clock.waits).toEqual([1_000]);
    clock.advance(1_000);
    await client.flush();
    const [first, ...others] = collector.received.map(({ body }) => body.toString());
    expect(others).toEqual([first, first]);
    expect(finalStatuses).toEqual(ids.map((id) => ['delivered', id, undefined]));
  });
});

describe('the final status of a message', () => {
  it('is told for each, by batch', async () => {
    const { client, finalStatuses } = await scene((n) => (n === 0 ? 400 : 200), {
      flushAt: 2,
      maxInFlight: 1,
    });
    const [a, b, c, d] = track(client, 4);
    await client.flush();
    expect(finalStatuses).toEqual([
      ['failed', a, 'status_400'],
      ['failed', b, 'status_400'],
      ['delivered', c, undefined],
      ['delivered', d, undefined],
    ]);
    expect(await client.close()).toEqual({ delivered: 2, failed: 2 });
  });

  it('needs no listener', async () => {
    const { client } = await scene(() => 404);
    client.removeAllListeners();
    track(client, 1);
    expect(await client.close()).toEqual({ delivered: 0, failed: 1 });
  });

  it('is settled for all when a listener throws, and the mistake is not hidden', async () => {
    const { client } = await scene();
    const mistake = new Error('of a listener');
    client.once('delivered', () => {
      throw mistake;
    });
    const others = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    const thrown = new Promise((resolve) => process.once('uncaughtException', resolve));
    track(client, 2);
    const counts = await client.close();
    expect(await thrown).toBe(mistake);
    for (const listener of others) process.on('uncaughtException', listener);
    expect(counts).toEqual({ delivered: 2, failed: 0 });
  });
});

describe('the end of a client', () => {
  it('sends the rest, tells the counts, and takes no more', async () => {
    const { client, collector } = await scene();
    track(client, 25);
    const closed = client.close();
    expect(client.close()).toBe(closed);
    expect(() => track(client, 1)).toThrow(EvfwdError);
    expect(() => track(client, 1)).toThrow(expect.objectContaining({ code: 'client_closed' }));
    expect(await closed).toEqual({ delivered: 25, failed: 0 });
    expect(collector.calls().length).toBe(25);
    await client.flush();
  });

  it('leaves no timer behind', async () => {
    const { client, clock } = await scene();
    track(client, 1);
    await client.close();
    expect(clock.waits).toEqual([]);
  });
});

describe('options of a client', () => {
  const endpoint = 'https://collector.example.com';

  it.each<[string, unknown, RegExp]>([
    ['key', {}, /^endpoint is missing/],
    ['key', undefined, /^endpoint is missing/],
    ['', { endpoint }, /write key is empty/],
    [undefined as never, { endpoint }, /write key must be a string/],
    ['key', { endpoint, flushat: 3 }, /"flushat"; did you mean flushAt\?/],
    ['key', { endpoint, flushAt: 3, size: 4 }, /flushAt and size/],
    ['key', { endpoint, flushAt: 0 }, /^flushAt must be a whole number/],
    ['key', { endpoint, size: 1.5 }, /^size must be a whole number/],
    ['key', { endpoint, maxQueue: '10' }, /^maxQueue must be a whole number/],
    ['key', { endpoint, maxInFlight: 0 }, /^maxInFlight must be a whole number/],
    ['key', { endpoint, flushAfter: -1 }, /^flushAfter must be a number of milliseconds/],
    ['key', { endpoint, timeoutMs: NaN }, /^timeoutMs must be a number of milliseconds/],
    ['key', { endpoint, retryWindowMs: '4h' }, /^retryWindowMs must be a number of milliseconds/],
    ['key', { endpoint, retryDelaysMs: [] }, /^retryDelaysMs must be a list/],
    ['key', { endpoint, retryDelaysMs: [-1] }, /^retryDelaysMs must be a number/],
    ['key', { endpoint: 'collector.example.com' }, /^endpoint: not a valid http/],
  ])('%j %j are refused', (writeKey, options, message) => {
    expect(() => new Client(writeKey, options as ClientOptions)).toThrow(UsageError);
    expect(() => new Client(writeKey, options as ClientOptions)).toThrow(message);
  });
});
