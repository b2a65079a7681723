import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { WebhookDestination } from '../../src/webhook/webhook-destination.js';
import { reply, startRawServer, type RawRequest } from '../helpers/raw-server.js';

/** What arrives of a text that is posted as it is. */
async function posted(event: string | Uint8Array): Promise<RawRequest> {
  const server = await startRawServer();
  const destination = new WebhookDestination({
    endpoints: [{ url: server.url }],
    sharedSecret: 'topsecret',
    body: 'original',
  });
  expect(await destination.deliver(event)).toMatchObject({ verdict: 'delivered' });
  await destination.close();
  expect(server.requests).toHaveLength(1);
  return server.requests[0]!;
}

describe('an original body', () => {
  it.each([
    [
      'members that no webhook body has',
      '{"type":"track","channel":"web","userId":"u","event":"e"}',
    ],
    ['any order and space', '{ "event" : "e",\n\t"userId":"u" , "type":"track"}'],
    [
      'hard numbers',
      '{"type":"track","userId":9007199254740993,"event":"e","properties":{"a":1e400,"b":-0,"c":1.0}}',
    ],
    [
      'escapes and doubled names',
      '{"\\u0074ype":"track","userId":"\\u00fc","event":"ü","context":{"a":1,"a":2}}',
    ],
    ['the names of an alias', '{"type":"alias","userId":"new","previousId":"old"}'],
    [
      'an id of its own',
      '{"type":"page","userId":"u","messageId":"m1","timestamp":"2026-01-01T00:00:00Z"}',
    ],
    [
      'members that a delete notice drops',
      '{"type":"delete","userId":"u","context":{"ip":"1.2.3.4"}}',
    ],
  ])('arrives byte for byte: %s', async (_title, text) => {
    const { body, headers } = await posted(text);
    expect(body.toString()).toBe(text);
    const signature = headers.find(([name]) => name === 'X-Signature')?.[1];
    expect(signature).toBe(createHmac('sha1', 'topsecret').update(text).digest('hex'));
  });

  it('is without the space around the event', async () => {
    const { body } = await posted(Buffer.from('\r\n {"type":"page","userId":"u"}\n'));
    expect(body.toString()).toBe('{"type":"page","userId":"u"}');
  });

  it('is the same at every attempt, although the event has neither id nor timestamp', async () => {
    const server = await startRawServer({
      response: (_request, index) => reply(index === 0 ? 503 : 200),
    });
    const destination = new WebhookDestination({
      endpoints: [{ url: server.url }],
      retryDelaysMs: [1],
      body: 'original',
    });
    await destination.deliver('{"type":"page","userId":"u"}');
    await destination.close();
    expect(server.requests).toHaveLength(2);
    for (const { body } of server.requests)
      expect(body.toString()).toBe('{"type":"page","userId":"u"}');
  });

  it('has passed the rules: an event that is not valid is not sent', async () => {
    const endpoints = [{ url: 'http://localhost:1/' }];
    const destination = new WebhookDestination({ endpoints, body: 'original' });
    const outcome = await destination.deliver('{"type":"track","userId":"u"}');
    expect(outcome).toMatchObject({ verdict: 'rejected', code: 'missing_event' });
    await destination.close();
  });
});
