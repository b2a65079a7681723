import { expect, it } from 'vitest';
import { WebhookConnections } from '../../src/webhook/connections.js';
import { WebhookTarget } from '../../src/webhook/target.js';
import { eventFrom } from '../../src/events/given.js';
import type { Event } from '../../src/events/event.js';
import type { Outcome } from '../../src/delivery/outcome.js';
import { reply, startRawServer } from '../helpers/raw-server.js';
import { someEvent } from '../helpers/webhooks.js';

/** Two targets with the same connections. */
async function pair(statuses: readonly number[], concurrency: number) {
  const server = await startRawServer({
    response: (_request, index) => reply(statuses[Math.min(index, statuses.length - 1)]!),
  });
  const endpoints = [{ url: server.url }];
  const options = { endpoints, concurrency, disablesOnGone: true };
  const connections = new WebhookConnections(options);
  const targets = [0, 1].map(() => new WebhookTarget({ ...options, connections }));
  const send = (target: number): Promise<Outcome> => {
    const stamp = { messageId: 'm1', writesMessageId: false };
    const event = eventFrom(someEvent) as Event;
    return new Promise((resolve) => targets[target]!.send({ event, stamp }, resolve));
  };
  return { server, connections, targets, send };
}

it('shares the room of its connections, and drains without the events of others', async () => {
  const { targets, send } = await pair([200], 1);
  const [first, second] = targets;
  const sent = send(0);
  expect(second!.room()).toBeDefined();
  await second!.drain();
  await second!.room();
  expect((await sent).verdict).toBe('delivered');
  expect(first!.room()).toBeUndefined();
});

it('leaves shared connections to others when it is closed', async () => {
  const { server, targets, send } = await pair([200], 2);
  await send(0);
  await targets[0]!.close();
  expect((await send(1)).verdict).toBe('delivered');
  expect(server.requests).toHaveLength(2);
});

it('tells all targets that a URL is gone', async () => {
  const { server, send } = await pair([410], 2);
  expect((await send(0)).verdict).toBe('failed');
  expect((await send(1)).attempts).toMatchObject([{ error: 'gone' }]);
  expect(server.requests).toHaveLength(1);
});
