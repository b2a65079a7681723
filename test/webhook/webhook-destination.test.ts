import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/delivery/public-outcome.js';
import type { WebhookDestinationOptions } from '../../src/webhook/options.js';
import { WebhookDestination } from '../../src/webhook/webhook-destination.js';
import { reply, startRawServer } from '../helpers/raw-server.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { someEvent } from '../helpers/webhooks.js';

async function outcomeOf(
  event: object | string,
  response = reply(200),
  options: Partial<WebhookDestinationOptions> = {},
): Promise<Outcome> {
  const server = await startRawServer({ response: () => response });
  const endpoints = [{ url: server.url }];
  const destination = new WebhookDestination({ endpoints, retryWindowMs: 0, ...options });
  const outcome = await destination.deliver(event);
  await destination.close();
  return outcome;
}

describe('closing a destination of the library', () => {
  /** A destination with an event in flight, and one that waits for its turn. */
  async function busy() {
    const held: Socket[] = [];
    const server = await startRawServer({ response: () => (socket) => held.push(socket) });
    const clock = new VirtualClock();
    const options = { clock, concurrency: 1, timeoutMs: 5_000, retryWindowMs: 3_600_000 };
    const destination = new WebhookDestination({ endpoints: [{ url: server.url }], ...options });
    const inFlight = destination.deliver(someEvent);
    const waiting = destination.deliver(someEvent);
    await server.arrived(1);
    let isClosed = false;
    const closed = destination.close().then(() => (isClosed = true));
    return {
      clock,
      server,
      destination,
      held,
      inFlight,
      waiting,
      closed,
      isClosed: () => isClosed,
    };
  }

  it('waits for the answers to what is in flight, and sends nothing else', async () => {
    const { server, destination, held, inFlight, waiting, closed, isClosed } = await busy();
    expect(await waiting).toMatchObject({ verdict: 'pending', attempts: [] });
    expect(await destination.deliver(someEvent)).toMatchObject({ verdict: 'pending' });
    expect(isClosed()).toBe(false);
    held[0]!.write(reply(200));
    expect(await inFlight).toMatchObject({ verdict: 'delivered' });
    await closed;
    expect(server.requests.length).toBe(1);
  });

  it('leaves an event whose answer asks for a retry pending', async () => {
    const { clock, held, inFlight, closed } = await busy();
    held[0]!.write(reply(503));
    expect(await inFlight).toMatchObject({ verdict: 'pending', code: 'status_503' });
    await closed;
    expect(clock.waits).toEqual([]);
  });

  it('waits for at most the timeout of a request', async () => {
    const { clock, inFlight, closed, isClosed } = await busy();
    clock.advance(4_999);
    await nextTurn();
    expect(isClosed()).toBe(false);
    clock.advance(1);
    expect(await inFlight).toMatchObject({ verdict: 'pending', code: 'timeout' });
    await closed;
  });

  it('may be asked for again meanwhile', async () => {
    const { destination, held, inFlight, closed } = await busy();
    const again = destination.close();
    held[0]!.write(reply(200));
    expect(await inFlight).toMatchObject({ verdict: 'delivered' });
    await Promise.all([closed, again, destination.close()]);
  });
});

describe('an outcome of the library', () => {
  it('has a messageId and no reason if it was delivered', async () => {
    const outcome = await outcomeOf(someEvent);
    expect(Object.keys(outcome)).toEqual(['verdict', 'messageId', 'attempts']);
    expect(outcome).toMatchObject({ verdict: 'delivered', messageId: 'm1' });
  });

  it('has a code and a message if it failed', async () => {
    const outcome = await outcomeOf(someEvent, reply(404));
    expect(outcome).toMatchObject({ verdict: 'failed', messageId: 'm1', code: 'status_404' });
    expect(Object.keys(outcome)).toEqual(['verdict', 'messageId', 'attempts', 'code', 'message']);
  });

  it.each([
    ['no event', '[]', 'not_an_event'],
    ['an event that breaks a rule', { type: 'track', userId: 'u' }, 'missing_event'],
    ['what JSON cannot represent', { type: 'track', n: 1n }, 'not_serializable'],
  ])('has the broken rule, and no attempt, for %s', async (_title, event, code) => {
    expect(await outcomeOf(event)).toMatchObject({ verdict: 'rejected', code, attempts: [] });
  });

  it('says that integrations turned the destination off', async () => {
    const event = { ...someEvent, integrations: { All: false } };
    const expected = { verdict: 'skipped', messageId: 'm1', code: 'integration_off', attempts: [] };
    expect(await outcomeOf(event)).toMatchObject(expected);
  });

  it('is pending if the destination was closed meanwhile', async () => {
    const destination = new WebhookDestination({
      endpoints: [{ url: 'http://localhost:1/' }],
    });
    const delivery = destination.deliver(someEvent);
    await destination.close();
    expect(await delivery).toMatchObject({ verdict: 'pending', messageId: 'm1' });
  });

  it('is the same if a callback throws, and the mistake is not hidden', async () => {
    const others = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    const thrown = new Promise((resolve) => process.once('uncaughtException', resolve));
    const onAttempt = (): never => {
      throw new Error('broken callback');
    };
    const outcome = await outcomeOf(someEvent, reply(200), { onAttempt });
    expect([outcome.verdict, await thrown]).toEqual(['delivered', new Error('broken callback')]);
    for (const listener of others) process.on('uncaughtException', listener);
  });
});
