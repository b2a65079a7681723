import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/delivery/public-outcome.js';
import type { WebhookDestinationOptions } from '../../src/webhook/options.js';
import { WebhookDestination } from '../../src/webhook/webhook-destination.js';
import { reply, startRawServer } from '../helpers/raw-server.js';
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
