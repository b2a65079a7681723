import { describe, expect, it } from 'vitest';
import { defaultBatch } from '../../../src/webhook/batch-settings.js';
import { signingBy } from '../../helpers/signing.js';
import { startRawServer, type RawRequest } from '../../helpers/raw-server.js';
import { createHmac } from 'node:crypto';
import { destinationOf, ids } from '../batches.js';
import { scene } from './scene.js';

const idsOf = ({ body }: RawRequest): string[] =>
  (JSON.parse(body.toString()) as { messageId: string }[]).map(({ messageId }) => messageId);

const batch = { ...defaultBatch, size: 10, waitMs: 1_000 };

const signing = signingBy('x-signature', 's1');

/** A server that answers each request with what `statusOf` says of its messageIds. */
const serverBy = (statusOf: (ids: readonly string[], index: number) => number) =>
  startRawServer({
    response: (request, index) =>
      `HTTP/1.1 ${statusOf(idsOf(request), index)} X\r\nContent-Length: 0\r\n\r\n`,
  });

describe('a destination with batches', () => {
  it('gets arrays that are signed as a whole, the last one after its longest wait', async () => {
    const server = await serverBy(() => 200);
    const destination = destinationOf(server.url, { batch, signing });
    const { take, endings, store, clock } = await scene([destination]);
    await take(ids(25));
    await endings(20);
    clock.advance(1_000);
    await endings(25);
    store.commit();
    expect(server.requests.map((request) => idsOf(request).length)).toEqual([10, 10, 5]);
    expect(server.requests.flatMap(idsOf).sort()).toEqual(ids(25).sort());
    for (const { headers, body } of server.requests) {
      const given = headers.find(([name]) => name === 'X-Signature')![1];
      expect(given).toBe(createHmac('sha1', 's1').update(body).digest('hex'));
    }
    expect(store.waitingFor()).toEqual([]);
  });

  it('gets a batch again as a whole, and each event has its own dead letter at the end', async () => {
    const server = await serverBy((_ids, index) => (index === 0 ? 503 : 404));
    const { take, endings, reported, clock, store } = await scene([
      destinationOf(server.url, { batch }),
    ]);
    await take(ids(10));
    await endings(10);
    store.commit();
    await clock.timers(1);
    clock.advance(60_000);
    await endings(20);
    expect(server.requests.map((request) => idsOf(request).join())).toEqual([
      ids(10).join(),
      ids(10).join(),
    ]);
    expect(server.requests[1]!.body.equals(server.requests[0]!.body)).toBe(true);
    expect(reported.slice(10).map(({ state, status }) => [state, status])).toEqual(
      Array(10).fill(['failed', 404]),
    );
  });

  it('keeps what waits for its batch at a stop, and delivers it after a restart', async () => {
    const server = await serverBy(() => 200);
    const destinations = [destinationOf(server.url, { batch })];
    const first = await scene(destinations);
    await first.take(ids(3));
    await first.stop();
    expect(server.requests).toEqual([]);
    const { folder } = first;
    const { endings, clock, store } = await scene(destinations, { folder });
    await clock.timers(1);
    clock.advance(1_000);
    await endings(3);
    store.commit();
    expect(server.requests.map(idsOf)).toEqual([ids(3)]);
    expect(store.waitingFor()).toEqual([]);
  });

  it('gets one event of a batch that is too large as its own failure, and the others once', async () => {
    const server = await serverBy((each) => (each.length > 4 || each.includes('m3') ? 413 : 200));
    const { take, endings, reported } = await scene([destinationOf(server.url, { batch })]);
    await take(ids(10));
    await endings(10);
    const states = Object.fromEntries(reported.map(({ messageId, state }) => [messageId, state]));
    expect(states).toEqual(
      Object.fromEntries(ids(10).map((id) => [id, id === 'm3' ? 'failed' : 'delivered'])),
    );
  });
});
